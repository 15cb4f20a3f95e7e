import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  connect,
  loadKubeconfig,
  systemClock,
  watchKinds,
  type Change,
  type Cluster,
  type ClusterConfig,
  type CacheSet,
  type ClientDependencies,
} from '../../src/cluster/index.js';
import { equal } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { startFaultProxy, type FaultProxy, type ProxiedRequest } from './fault-proxy.js';
import { KINDS, NAMESPACE, ObjectWriter } from './object-writer.js';
import type { FaultContext, WatchFault } from './watch-faults.js';

export interface FaultOutcome {
  readonly wrong: readonly string[];
  /** From the end of the fault to an equal cache. */
  readonly convergedMs: number;
  /** Most lists that a kind read because of the fault. */
  readonly lists: number;
  readonly ghosts: number;
  /** Shortest time between two requests of a kind while they failed; undefined where there were not two. */
  readonly gapMs: number | undefined;
}

const WITHIN = 30_000;
/** Timers may ring a little early; requests may not. */
const MIN_GAP = 990;

/** A real control plane with a proxy in front that breaks on demand. */
export class FaultLab {
  private constructor(
    readonly plane: ControlPlane,
    readonly proxy: FaultProxy,
    readonly config: ClusterConfig,
    readonly direct: Cluster,
  ) {}

  static async open(): Promise<FaultLab> {
    const plane = await startRealControlPlane({ etcdFsync: false });
    const read = (name: string): string => readFileSync(join(plane.dir, 'certs', name), 'utf8');
    const proxy = await startFaultProxy({ target: plane.url, cert: read('apiserver.crt'), key: read('apiserver.key') });
    const config = await loadKubeconfig({ path: plane.kubeconfigPath, environment: {}, defaultPath: '' });
    return new FaultLab(plane, proxy, config, client(config, 1));
  }

  async close(): Promise<void> {
    await this.direct.close();
    await this.proxy.close();
    await this.plane.stop();
  }

  /** One fault: a cache that was equal before is equal again after, without one list or request too many. */
  async play(fault: WatchFault, seed: number): Promise<FaultOutcome> {
    const random = seededRandom(seed);
    const writer = new ObjectWriter(this.direct, random);
    await writer.prepare();
    const cluster = client({ ...this.config, server: this.proxy.url }, seed);
    let fleet: CacheSet | undefined;
    const stage: FaultContext = {
      proxy: this.proxy,
      plane: this.plane,
      random,
      plurals: KINDS.map(({ plural }) => plural),
      mutate: () => writer.mutate(),
      touchAll: () => writer.touchAll(),
      removeFirst: () => writer.removeFirst(),
      newestVersion: () => writer.newestVersion(),
      untilEqual: () =>
        fleet === undefined ? Promise.reject(new Error('the cache is not open yet')) : equalToLive(fleet, writer),
      until,
    };
    this.proxy.onRequest = () => 'pass';
    // Every other trial by the older protocol: proxies and load balancers in front of a server may know no other.
    this.proxy.isHttp2 = seed % 2 === 0;
    const start = (): CacheSet => openFleet(cluster, seed, fault);
    const replica = new Replica();
    try {
      if (fault.atStart !== true) {
        fleet = start();
        replica.follow(fleet);
        await equalToLive(fleet, writer);
        await until('every watch is open', () => this.proxy.streams().length >= KINDS.length);
      }
      const first = this.proxy.seen.length;
      const played = fault.play(stage);
      if (fleet === undefined) replica.follow((fleet = start()));
      await played;
      const healed = performance.now();
      await equalToLive(fleet, writer);
      const convergedMs = performance.now() - healed;
      return outcomeOf(fault, this.proxy.seen.slice(first), convergedMs, [...replica.wrong, ...replica.compare(fleet)]);
    } finally {
      this.proxy.onRequest = () => 'pass';
      fleet?.close();
      await cluster.close();
    }
  }
}

function client(config: ClusterConfig, seed: number): Cluster {
  return connect(config, worldOf(seed), { version: '0.0.0', environment: {} });
}

function worldOf(seed: number): ClientDependencies {
  const random = seededRandom(seed);
  return { clock: systemClock, random: () => random.integer(2 ** 30) / 2 ** 30, report: () => undefined };
}

function openFleet(cluster: Cluster, seed: number, { pageSize, silence }: WatchFault): CacheSet {
  return watchKinds(cluster, KINDS, worldOf(seed + 1), {
    cache: () => ({
      namespace: NAMESPACE,
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(silence === undefined ? {} : { timing: { silence, opening: silence } }),
    }),
  });
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + WITHIN;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${WITHIN / 1000} s: ${what}`);
    await delay(5);
  }
}

async function equalToLive(fleet: CacheSet, writer: ObjectWriter): Promise<void> {
  const live = await Promise.all(KINDS.map(async (kind) => ({ kind, objects: await writer.live(kind) })));
  await until('the cache equals a live list', () =>
    live.every(({ kind, objects }) => sameObjects(fleet.cache(kind)?.list() ?? [], objects)),
  );
}

function sameObjects(a: readonly KubeObject[], b: readonly KubeObject[]): boolean {
  const byName = new Map(a.map((object) => [object.metadata.name, object]));
  return a.length === b.length && b.every((object) => equal(byName.get(object.metadata.name), object));
}

/** A second cache, built only from what handlers were told; it also checks that the telling makes sense. */
class Replica {
  readonly #objects = new Map<string, KubeObject>();
  readonly wrong: string[] = [];

  follow(fleet: CacheSet): void {
    fleet.subscribe((change) => {
      this.#take(change);
    });
  }

  compare(fleet: CacheSet): string[] {
    const kept = KINDS.flatMap((kind) => fleet.cache(kind)?.list() ?? []);
    const ghosts = [...this.#objects.values()].filter((object) => !kept.includes(object));
    return [
      ...ghosts.map((object) => `ghost: ${kindAndName(object)}`),
      ...(kept.length === this.#objects.size
        ? []
        : [`handlers know ${this.#objects.size} objects, the cache ${kept.length}`]),
    ];
  }

  #take(change: Change): void {
    const name = kindAndName(change.type === 'deleted' ? change.old : change.object);
    const known = this.#objects.get(name);
    if (change.type === 'added' ? known !== undefined : known !== change.old)
      this.wrong.push(`${change.type} does not follow the change before it: ${name}`);
    if (change.type === 'deleted') return void this.#objects.delete(name);
    if (
      change.type === 'updated' &&
      Number(change.object.metadata.resourceVersion) <= Number(change.old.metadata.resourceVersion)
    )
      this.wrong.push(`updated backwards: ${name}`);
    this.#objects.set(name, change.object);
  }
}

function kindAndName(object: KubeObject): string {
  return `${object.kind}/${object.metadata.name ?? ''}`;
}

function outcomeOf(
  fault: WatchFault,
  seen: readonly ProxiedRequest[],
  convergedMs: number,
  found: readonly string[],
): FaultOutcome {
  const wrong = [...found];
  let most = 0;
  const gaps: number[] = [];
  for (const { plural } of KINDS) {
    const ours = seen.filter((one) => one.plural === plural);
    // A list that the fault stands in is not one that it causes.
    const lists =
      ours.filter(({ what, wasPassed }) => what === 'list' && wasPassed).length - (fault.atStart === true ? 1 : 0);
    most = Math.max(most, lists);
    if (lists > fault.lists) wrong.push(`${plural}: ${lists} lists for one fault, ${fault.lists} allowed`);
    const failing = ours.filter(({ what }) => what !== 'probe' && what !== 'page');
    for (const [index, one] of failing.entries()) {
      const before = failing[index - 1];
      if (before !== undefined && !before.wasPassed) gaps.push(one.at - before.at);
    }
  }
  const gapMs = gaps.length === 0 ? undefined : Math.min(...gaps);
  if (gapMs !== undefined && gapMs < MIN_GAP)
    wrong.push(`two requests of one kind ${Math.round(gapMs)} ms apart while the server was down`);
  return { wrong, convergedMs, lists: most, ghosts: found.filter((line) => line.startsWith('ghost')).length, gapMs };
}
