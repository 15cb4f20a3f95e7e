import { gvkOf, keyText, keyOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import { watchKinds, type Cluster, type ResourceKind, type ClientDependencies } from '../../src/cluster/index.js';
import type { Assessment, Assessor, Facts } from '../../src/health/index.js';

export interface Unhealthy {
  readonly object: string;
  readonly status: string;
  readonly message: string;
}

export interface HealthWait {
  readonly objects: readonly KubeObject[];
  readonly kinds: readonly ResourceKind[];
  readonly assessor: Assessor;
  /** Milliseconds after which it is enough. */
  readonly within: number;
  /** Told of each object as it becomes healthy, and how many are left. */
  readonly onHealthy?: (object: string, left: number) => void;
}

/**
 * Waits until each of these objects is Healthy, or nobody has an opinion on its kind. Gives those that are not at the
 * end, so nothing where all went well.
 */
export async function awaitHealth(
  cluster: Cluster,
  world: ClientDependencies,
  { objects, kinds, assessor, within, onHealthy = () => undefined }: HealthWait,
): Promise<Unhealthy[]> {
  const waiting = new Map(objects.map((object) => [keyText(keyOf(object)), object]));
  const watched = watchKinds(cluster, kinds, world);
  const live = (object: KubeObject): KubeObject | undefined => watched.get(keyOf(object));
  const verdict = (object: KubeObject): Assessment | undefined =>
    assessor.assess(
      object,
      factsFor(object, assessor, (group, kind, name) => watched.get({ group, kind, namespace: '', name })),
    );
  const isDone = (object: KubeObject): boolean => {
    const now = live(object);
    return now !== undefined && [undefined, 'Healthy'].includes(verdict(now)?.status);
  };
  try {
    await watched.waitForSync(within);
    await new Promise<void>((resolve) => {
      const settle = (key: string): void => {
        const object = waiting.get(key);
        if (object !== undefined && isDone(object)) {
          waiting.delete(key);
          onHealthy(key, waiting.size);
        }
        if (waiting.size > 0) return;
        // What was healthy may have stopped to be so meanwhile.
        for (const again of objects) if (!isDone(again)) waiting.set(keyText(keyOf(again)), again);
        if (waiting.size === 0) finish();
      };
      const cancel = world.clock.after(within, () => {
        finish();
      });
      const unsubscribe = watched.subscribe((change) => {
        settle(keyText(keyOf(change.type === 'deleted' ? change.old : change.object)));
      });
      const finish = (): void => {
        cancel();
        unsubscribe();
        resolve();
      };
      for (const key of [...waiting.keys()]) settle(key);
    });
    return [...waiting].map(([object, wanted]) => {
      const now = live(wanted);
      const { status = 'Unknown', message = '' } =
        (now === undefined ? { status: 'Missing' as const } : verdict(now)) ?? {};
      return { object, status, message };
    });
  } finally {
    watched.close();
  }
}

function factsFor(
  object: KubeObject,
  assessor: Assessor,
  find: (group: string, kind: string, name: string) => KubeObject | undefined,
): Facts {
  const found = assessor
    .requiredFacts(object)
    .map(({ fact, group, kind, name }) => [fact, find(group, kind, name)] as const);
  return Object.fromEntries(found.filter(([, fact]) => fact !== undefined));
}

/** The kinds of these objects, and those that help to judge them. */
export function kindsToWatch(
  objects: readonly KubeObject[],
  served: readonly ResourceKind[],
  assessor: Assessor,
): ResourceKind[] {
  const wanted = new Set(
    objects.flatMap((object) =>
      [gvkOf(object), ...assessor.requiredFacts(object)].map(({ group, kind }) => `${group}/${kind}`),
    ),
  );
  const chosen = new Map<string, ResourceKind>();
  for (const kind of served)
    if (
      kind.verbs.includes('watch') &&
      wanted.has(`${kind.group}/${kind.kind}`) &&
      !chosen.has(`${kind.group}/${kind.kind}`)
    )
      chosen.set(`${kind.group}/${kind.kind}`, kind);
  return [...chosen.values()];
}
