import { ClusterError } from '../../src/cluster/index.js';
import { ApplicationHandle, statusText } from './application.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { poisons, type Poison } from './poisons.js';
import { giveAddress, Versions } from './simple-app.js';
import { APPLICATIONS, SERVICES } from '../../src/model/resources/index.js';

export interface PoisonOutcome {
  readonly wrong: readonly string[];
  /** The API server itself would not have it. */
  readonly refused: boolean;
  readonly says: string;
  readonly ms: number;
}

const SOUND = 2;
const WELL_WITHIN = 30_000;

/** A controller starts and finds an object that is rotten. */
export class PoisonLab {
  readonly poisons: readonly Poison[];
  #sound: ApplicationHandle[] = [];

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly versions: Versions,
  ) {
    this.poisons = poisons({ repoURL: versions.repository.url, namespace: 'poisoned' });
  }

  static async open(): Promise<PoisonLab> {
    const lab = await Lab.open();
    const opened = new PoisonLab(lab, await lab.createIdentity(), new Versions(lab.repository(), 'app'));
    await opened.#begin();
    return opened;
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async #begin(): Promise<void> {
    const { lab, versions } = this;
    versions.commit();
    versions.repository.commit({ 'poison/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: poison\n' });
    await lab.namespace('poisoned');
    for (let index = 0; index < SOUND; index++) {
      const name = `sound-${index}`;
      await lab.namespace(name);
      this.#sound.push(
        await ApplicationHandle.create(lab, {
          name,
          namespace: name,
          repoURL: versions.repository.url,
          path: 'app',
          automated: { prune: true, selfHeal: true },
        }),
      );
    }
    const controller = await lab.startController(this.seat);
    for (const { name } of this.#sound) {
      await lab.until(
        'the Service is there',
        async () => (await lab.cluster.get(SERVICES, { namespace: name, name: 'web' })) !== undefined,
      );
      await giveAddress(lab, name);
    }
    await this.#well(versions.repository.head());
    await controller.stop();
  }

  async play(index: number): Promise<PoisonOutcome> {
    const poison = this.poisons[index % this.poisons.length];
    if (poison === undefined) throw new Error('there is no poison');
    const begin = performance.now();
    const made = await this.#store(poison);
    if (made === undefined)
      return { wrong: [], refused: true, says: 'refused by the API server', ms: performance.now() - begin };
    const revision = this.versions.commit();
    const wrong: string[] = [];
    let says = '';
    const controller = await this.lab.launchController(this.seat);
    try {
      await controller.ready(WELL_WITHIN);
      await this.#well(revision);
      if (poison.kind === APPLICATIONS) {
        const handle = new ApplicationHandle(this.lab, 'poison');
        // It says something about it, or it could be delivered after all.
        says = statusText(
          await handle.until(
            'the rotten one has a status',
            (shown) => shown.conditions.length > 0 || shown.sync !== '',
            15_000,
          ),
        );
      }
      if (!controller.isAlive) wrong.push('the controller ended');
      if (/\n\s+at .+:\d+:\d+/.test(controller.log().replaceAll('\\n', '\n')))
        wrong.push(`a stack trace in the log: ${controller.tail(8)}`);
    } catch (error) {
      wrong.push(`${error instanceof Error ? error.message : String(error)}\n${controller.tail(5)}`);
    } finally {
      await controller.stop();
      await this.#drop(poison);
    }
    return {
      wrong: wrong.map((line) => `${poison.name}: ${line}`),
      refused: false,
      says: `${poison.name}: ${says}`,
      ms: performance.now() - begin,
    };
  }

  async #store({ kind, object }: Poison): Promise<string | undefined> {
    try {
      return (await this.lab.cluster.create(kind, object)).metadata.uid ?? '';
    } catch (error) {
      if (error instanceof ClusterError) return undefined;
      throw error;
    }
  }

  async #drop({ kind, object }: Poison): Promise<void> {
    const id = { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
    const live = await this.lab.cluster.get(kind, id);
    if (live === undefined) return;
    if ((live.metadata.finalizers ?? []).length > 0)
      await this.lab.cluster.patch(kind, id, { type: 'merge', body: { metadata: { finalizers: null } } });
    await this.lab.cluster.remove(kind, id, { uid: live.metadata.uid ?? '' });
    await this.lab.until('the poison is gone', async () => (await this.lab.cluster.get(kind, id)) === undefined);
  }

  async #well(revision: string): Promise<void> {
    for (const application of this.#sound)
      await application.until(
        'a sound one is delivered',
        ({ sync, health, revision: at }) => sync === 'Synced' && health === 'Healthy' && at === revision,
        WELL_WITHIN,
      );
  }
}
