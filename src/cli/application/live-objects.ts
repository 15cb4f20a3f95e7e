import { ClusterError, type Cluster, type ResourceKind } from '../../cluster/index.js';
import { createAssessor, readOverrides, type Assessment, type Assessor } from '../../health/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { loadCatalogue } from '../../control/index.js';
import { type AppSession, readSettings } from '../session/index.js';
import { objectsAt, textAt } from '../../model/json/index.js';
import { withDestination } from './destination.js';
import { keyAt } from './resource-states.js';

/** So many objects of one kind in one namespace are read in one list. */
const LIST_THRESHOLD = 4;

/** The kinds of a cluster, by group and kind; the preferred version of each. */
export class Kinds {
  readonly #byName = new Map<string, ResourceKind>();

  static async of(cluster: Cluster): Promise<Kinds> {
    return new Kinds((await cluster.discover()).kinds);
  }

  constructor(readonly all: readonly ResourceKind[]) {
    for (const kind of all) {
      const name = `${kind.group}/${kind.kind}`;
      if (kind.preferred || !this.#byName.has(name)) this.#byName.set(name, kind);
    }
  }

  find(group: string, kind: string): ResourceKind | undefined {
    return this.#byName.get(`${group}/${kind}`);
  }
}

/** Live objects by key, and the keys that could not be looked at. */
export interface ManagedObjects {
  readonly live: ReadonlyMap<string, KubeObject>;
  readonly unread: ReadonlySet<string>;
}

/** The live objects of `status.resources`. */
export function readManaged(cluster: Cluster, kinds: Kinds, application: KubeObject): Promise<ManagedObjects> {
  return readKeys(cluster, kinds, objectsAt(application, 'status', 'resources').map(keyAt));
}

export async function readKeys(cluster: Cluster, kinds: Kinds, wanted: readonly Key[]): Promise<ManagedObjects> {
  const groups = new Map<string, { kind: ResourceKind | undefined; namespace: string; keys: Key[] }>();
  for (const key of wanted) {
    const kind = kinds.find(key.group, key.kind);
    const id = `${key.group}/${key.kind}/${key.namespace}`;
    const group = groups.get(id) ?? { kind, namespace: kind?.namespaced === true ? key.namespace : '', keys: [] };
    group.keys.push(key);
    groups.set(id, group);
  }
  const [live, unread] = [new Map<string, KubeObject>(), new Set<string>()];
  await Promise.all(
    [...groups.values()].map(async ({ kind, namespace, keys }) => {
      const objects =
        kind === undefined ? undefined : await readIfPermitted(() => readGroup(cluster, kind, namespace, keys));
      if (objects === undefined) for (const key of keys) unread.add(keyText(key));
      else for (const object of objects) live.set(keyText(keyOf(object)), object);
    }),
  );
  return { live, unread };
}

async function readGroup(
  cluster: Cluster,
  kind: ResourceKind,
  namespace: string,
  keys: readonly Key[],
): Promise<KubeObject[]> {
  const scope = namespace === '' ? {} : { namespace };
  if (keys.length < LIST_THRESHOLD)
    return (await Promise.all(keys.map(({ name }) => cluster.get(kind, { ...scope, name })))).filter(
      (object) => object !== undefined,
    );
  const names = new Set(keys.map(({ name }) => name));
  return (await cluster.list(kind, scope)).items.filter(({ metadata }) => names.has(metadata.name ?? ''));
}

/** What a person may not read is not there for them; the rest is. */
export async function readIfPermitted<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ClusterError && (error.status === 403 || error.status === 404 || error.status === 405))
      return undefined;
    throw error;
  }
}

/** Judges with the catalogue and the checks of argocd-cm. */
export async function openAssessor(session: AppSession): Promise<Assessor> {
  const { host } = session;
  return createAssessor({
    catalogue: loadCatalogue(host.catalogue),
    overrides: readOverrides(await readSettings(session, 'argocd-cm')),
    now: host.now,
    elapsed: () => performance.now(),
  });
}

/** The verdict on an object, with the related objects that its check asks for. */
export async function assess(
  cluster: Cluster,
  kinds: Kinds,
  assessor: Assessor,
  object: KubeObject,
): Promise<Assessment | undefined> {
  const facts = await Promise.all(
    assessor.requiredFacts(object).map(async ({ fact, group, kind, name }) => {
      const found = kinds.find(group, kind);
      const id = { name, ...(found?.namespaced === true ? { namespace: object.metadata.namespace } : {}) };
      const fetched = found === undefined ? undefined : await readIfPermitted(() => cluster.get(found, id));
      return fetched === undefined ? [] : [[fact, fetched] as const];
    }),
  );
  return assessor.assess(object, Object.fromEntries(facts.flat()));
}

/** Health by key, for an Application whose status does not keep the health of its resources. */
export async function readHealths(session: AppSession, application: KubeObject): Promise<Map<string, string>> {
  const resources = objectsAt(application, 'status', 'resources');
  if (textAt(application, 'status', 'resourceHealthSource') !== 'appTree' || resources.length === 0) return new Map();
  return withDestination(session, application, (cluster) => readHealthsOn(session, cluster, application));
}

async function readHealthsOn(
  session: AppSession,
  cluster: Cluster,
  application: KubeObject,
): Promise<Map<string, string>> {
  const resources = objectsAt(application, 'status', 'resources');
  const [kinds, assessor] = await Promise.all([Kinds.of(cluster), openAssessor(session)]);
  const { live, unread } = await readManaged(cluster, kinds, application);
  const verdicts = await Promise.all(
    resources.map(async (raw) => {
      const key = keyText(keyAt(raw));
      const object = live.get(key);
      if (object === undefined) return [key, unread.has(key) || raw.hook === true ? '' : 'Missing'] as const;
      return [key, (await assess(cluster, kinds, assessor, object))?.status ?? ''] as const;
    }),
  );
  return new Map(verdicts.filter(([, health]) => health !== ''));
}
