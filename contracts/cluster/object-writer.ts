import type { Cluster } from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Random } from '../../src/apiserver/store/testing/random.js';
import { CONFIG_MAPS, LEASES, NAMESPACES, type ResourceRef, SECRETS } from '../../src/model/resources/index.js';

export const NAMESPACE = 'faults';
export const KINDS: readonly ResourceRef[] = [
  CONFIG_MAPS,
  SECRETS,
  { group: 'apps', version: 'v1', kind: 'ControllerRevision', plural: 'controllerrevisions', namespaced: true },
];

const NAMES = Array.from({ length: 12 }, (_, index) => `object-${index}`);
/** Two, three and four bytes a character. */
const TEXT = 'Grüße, 日本語, 😀🏳️‍🌈';

/** Changes objects straight at the server, one change after the other, as other clients of the cluster would. */
export class ObjectWriter {
  #queue: Promise<void> = Promise.resolve();
  #serial = 0;

  constructor(
    readonly cluster: Cluster,
    readonly random: Random,
  ) {}

  async prepare(): Promise<void> {
    const namespaces: ResourceRef = NAMESPACES;
    if ((await this.cluster.get(namespaces, { name: NAMESPACE })) === undefined) {
      await this.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    }
    await this.mutate();
  }

  /** Some of everything: new, changed, deleted, and deleted and made again under the same name. */
  mutate(): Promise<void> {
    return this.#next(async () => {
      for (const kind of KINDS) {
        const live = new Map((await this.live(kind)).map((object) => [object.metadata.name ?? '', object]));
        for (const name of NAMES) await this.#change(kind, name, live.get(name));
      }
    });
  }

  touchAll(): Promise<void> {
    return this.#next(async () => {
      for (const kind of KINDS) {
        for (const object of await this.live(kind))
          await this.cluster.update(kind, {
            ...object,
            metadata: { ...object.metadata, annotations: { touched: this.#text() } },
          });
      }
    });
  }

  removeFirst(): Promise<void> {
    return this.#next(async () => {
      for (const kind of KINDS) {
        const [first] = await this.live(kind);
        if (first !== undefined)
          await this.cluster.remove(
            kind,
            { namespace: NAMESPACE, name: first.metadata.name ?? '' },
            { uid: first.metadata.uid ?? '' },
          );
      }
    });
  }

  async live(kind: ResourceRef): Promise<KubeObject[]> {
    return (await this.cluster.list(kind, { namespace: NAMESPACE })).items;
  }

  async newestVersion(): Promise<string> {
    const ignored: ResourceRef = LEASES;
    const lease = await this.cluster.create(ignored, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { generateName: 'moves-the-version-', namespace: NAMESPACE },
    });
    return lease.metadata.resourceVersion ?? '';
  }

  async #change(kind: ResourceRef, name: string, live: KubeObject | undefined): Promise<void> {
    if (live === undefined) {
      // Each kind always has something, so that each meets the fault.
      if (name === NAMES[0] || this.random.chance(0.5)) await this.#create(kind, name);
      return;
    }
    const dice = this.random.integer(4);
    if (dice === 0) return;
    if (dice === 1) {
      await this.cluster.update(kind, {
        ...live,
        metadata: { ...live.metadata, annotations: { changed: this.#text() } },
      });
      return;
    }
    await this.cluster.remove(kind, { namespace: NAMESPACE, name }, { uid: live.metadata.uid ?? '' });
    if (dice === 3 || name === NAMES[0]) await this.#create(kind, name);
  }

  async #create(kind: ResourceRef, name: string): Promise<void> {
    const content = kind.kind === 'ControllerRevision' ? { revision: 1, data: { kept: true } } : {};
    await this.cluster.create(kind, {
      apiVersion: kind.group === '' ? 'v1' : `${kind.group}/v1`,
      kind: kind.kind,
      metadata: { name, namespace: NAMESPACE, annotations: { made: this.#text() } },
      ...content,
    });
  }

  #text(): string {
    return `${TEXT} ${++this.#serial}`;
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
