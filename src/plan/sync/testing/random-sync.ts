import { IMPROVEMENTS, NO_IMPROVEMENTS } from '../../../model/settings/index.js';
import { readOperation, type Health } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { SyncScenario } from './sync-driver.js';
import { shortName, MemoryCluster } from './memory-cluster.js';

/** Numbers that look random and are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RandomSync {
  readonly cluster: MemoryCluster;
  readonly scenario: SyncScenario;
  /** What becomes of each object in the end, by `Kind/name`. */
  readonly finalHealth: ReadonlyMap<string, Health>;
}

const HOOKS = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreSync,PostSync', 'PreSync,SyncFail', 'Skip'];
const POLICIES = [
  'HookSucceeded',
  'HookFailed',
  'BeforeHookCreation',
  'HookSucceeded,HookFailed',
  'BeforeHookCreation,HookSucceeded',
];
const STEP_KINDS = ['apply', 'prune', 'check', 'release-hook', 'delete-hook'];

/** An application with waves, hooks, prunes and leftovers in a world that may refuse a thing or two. */
export function randomSync(seed: number): RandomSync {
  const random = randomFrom(seed);
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const wave = (): Record<string, string> =>
    chance(0.6) ? { 'argocd.argoproj.io/sync-wave': String(Math.floor(random() * 6) - 2) } : {};
  const make = (kind: string, apiVersion: string, name: string, annotations: Record<string, string>): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'shop', annotations },
    spec: { text: pick(['old', 'new']) },
  });
  const some = (most: number, one: (index: number) => KubeObject): KubeObject[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => one(index));
  const gates = (): Record<string, string> => {
    if (chance(0.15)) return { 'mlops.dev/block-wave': pick(['0', '1', '3']) };
    return chance(0.1) ? { 'argosy.dev/gate': 'false' } : {};
  };
  const hook = (index: number): KubeObject => {
    const object = make('Job', 'batch/v1', `hook-${index}`, {
      ...wave(),
      'argocd.argoproj.io/hook': pick(HOOKS),
      ...(chance(0.6) ? { 'argocd.argoproj.io/hook-delete-policy': pick(POLICIES) } : {}),
    });
    if (chance(0.25)) object.metadata = { ...object.metadata, generateName: `generated-${index}-` };
    if (object.metadata.generateName !== undefined) delete object.metadata.name;
    return object;
  };
  const targets = [
    ...some(4, (index) => make('ConfigMap', 'v1', `map-${index}`, wave())),
    ...some(4, (index) => make('Deployment', 'apps/v1', `web-${index}`, { ...wave(), ...gates() })),
    ...some(5, hook),
  ];
  const doomed = some(5, (index) =>
    make(pick(['ConfigMap', 'Deployment']), 'v1', `old-${index}`, {
      ...wave(),
      ...(chance(0.2) ? { 'argocd.argoproj.io/sync-options': pick(['PruneLast=true', 'Prune=false']) } : {}),
    }),
  );
  const world = new MemoryCluster();
  for (const object of [...targets.filter((target) => target.metadata.name !== undefined && chance(0.3)), ...doomed]) {
    world.put({
      ...object,
      metadata: { ...object.metadata, ...(chance(0.3) ? { finalizers: ['example.com/keep'] } : {}) },
    });
  }
  world.healths.set('Deployment', { status: 'Progressing' }).set('Job', { status: 'Progressing' });
  const all = [...targets, ...doomed];
  if (chance(0.35) && all.length > 0)
    world.rejections.set(
      `${pick(STEP_KINDS)} ${shortName({ kind: pick(all).kind, name: pick(all).metadata.name ?? '' })}`,
      'the server does not want to',
    );
  const sick = chance(0.3) ? 0.2 : 0;
  const destinies = new Map(
    all.map<[string, Health]>((object) => [
      shortName({ kind: object.kind, name: object.metadata.name ?? '' }),
      { status: chance(sick) ? 'Degraded' : 'Healthy' },
    ]),
  );
  const syncOptions = ['ApplyOutOfSyncOnly=true', 'PruneLast=true', 'PrunePropagationPolicy=background'].filter(() =>
    chance(0.2),
  );
  return {
    cluster: world,
    finalHealth: destinies,
    scenario: {
      targets,
      tracked: doomed.map((object) => shortName({ kind: object.kind, name: object.metadata.name ?? '' })),
      request: readOperation({ sync: { prune: chance(0.8) } }, 'operation').sync,
      syncOptions,
      improvements: chance(0.5) ? IMPROVEMENTS : NO_IMPROVEMENTS,
      violations: new Map(),
      revision: 'abcdef0123456789',
      rest: {},
    },
  };
}

/** Time goes by: what was going to happen to the objects happens. */
export function passTime({ cluster, finalHealth }: RandomSync): void {
  cluster.now = new Date(cluster.now.getTime() + 2000);
  for (const object of cluster.list()) {
    const short = shortName({ kind: object.kind, name: object.metadata.name ?? '' });
    if (object.metadata.deletionTimestamp !== undefined) cluster.release(short, 'example.com/keep');
    if (object.kind !== 'ConfigMap') cluster.healths.set(short, finalHealth.get(short) ?? { status: 'Healthy' });
  }
}
