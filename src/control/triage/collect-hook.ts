import { ClusterError, type Cluster } from '../../cluster/index.js';
import { clone, isObject, textAt } from '../../model/json/index.js';
import { gvkOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { EVENTS } from '../../model/resources/index.js';
import { podReferences } from '../../plan/index.js';
import { SnapshotBuilder, type Listing, type Snapshot } from '../../triage/index.js';
import type { ClusterCache } from '../cache/index.js';
import { collectLogs } from './collect-cluster.js';

/** Of a hook with many pods the newest tell enough. */
const MAX_OBJECTS = 12;
const MAX_DEPTH = 4;
const MAX_LOGS = 4;
const PAGE_SIZE = 500;
/** What pods refer to by name. Their metadata is cached: it shows what is absent, and which name is similar. */
const NAMED_KINDS = ['Secret', 'ConfigMap', 'ServiceAccount'] as const;

type CachedCluster = Pick<
  ClusterCache,
  'childrenOf' | 'cluster' | 'get' | 'isWatched' | 'kindOf' | 'listOf' | 'read' | 'unreadableReason'
>;

export interface HookSurroundings {
  /** Whose hook it is. */
  readonly application: KubeObject;
  readonly clusterCache: CachedCluster;
  readonly now: number;
}

/** Everything below an object, by owner references; metadata only. */
export function descendantsOf(
  clusterCache: Pick<ClusterCache, 'childrenOf'>,
  { metadata }: KubeObject,
  depth = MAX_DEPTH,
): KubeObject[] {
  const children = depth === 0 ? [] : clusterCache.childrenOf(metadata.uid ?? '');
  return children.flatMap((child) => [child, ...descendantsOf(clusterCache, child, depth - 1)]);
}

/**
 * What a waiting hook needs to be explained: itself, what it started, events and logs of those, and what they refer to.
 * A few requests, however large the cluster is: most comes from the cache. Only GET is ever sent.
 */
export async function collectHook(
  hook: KubeObject,
  { application, clusterCache, now }: HookSurroundings,
): Promise<Snapshot> {
  const { cluster } = clusterCache;
  const builder = new SnapshotBuilder();
  const add = (object: KubeObject): void => {
    // Reading it into a snapshot changes it.
    builder.add(clone(object), cluster.server);
  };
  add(waitingFor(application, hook));
  add(hook);
  const newest = descendantsOf(clusterCache, hook)
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''))
    .slice(0, MAX_OBJECTS);
  const started = (await Promise.all(newest.map((each) => readOf(clusterCache, each)))).filter(
    (each) => each !== undefined,
  );
  for (const each of started) add(each);
  const all = [hook, ...started];
  const pods = all.filter(({ kind }) => kind === 'Pod');
  await Promise.all([
    ...all.map((each) => collectEvents(cluster, each, builder)),
    collectLogs(cluster, pods, builder, MAX_LOGS),
    collectNamed(all, clusterCache, add),
    ...clusterFacts(hook, pods).map((kind) => collectPage(clusterCache, kind, hook.metadata.namespace ?? '', builder)),
  ]);
  for (const kind of NAMED_KINDS) listNames(clusterCache, kind, hook.metadata.namespace ?? '', builder);
  return builder.build(now);
}

/** The Application as it is while the sync waits for this hook and for nothing else. */
function waitingFor(application: KubeObject, hook: KubeObject): KubeObject {
  const { group, kind } = gvkOf(hook);
  const { namespace = '', name = '' } = hook.metadata;
  const {
    conditions: _conditions,
    resources: _resources,
    ...status
  } = isObject(application.status) ? application.status : {};
  return {
    ...application,
    status: {
      ...status,
      operationState: {
        phase: 'Running',
        message: `waiting for completion of hook ${group}/${kind}/${name}`,
        startedAt: hook.metadata.creationTimestamp ?? '',
        syncResult: { resources: [{ group, kind, namespace, name, hookType: 'Sync', hookPhase: 'Running' }] },
      },
    },
  };
}

function readOf(clusterCache: CachedCluster, object: KubeObject): Promise<KubeObject | undefined> {
  const { group, kind } = gvkOf(object);
  const { namespace = '', name = '' } = object.metadata;
  return readKey(clusterCache, { group, kind, namespace, name });
}

/** Undefined also where it may not be read. */
async function readKey(clusterCache: CachedCluster, key: Key): Promise<KubeObject | undefined> {
  try {
    return await clusterCache.read(key);
  } catch (error) {
    if (error instanceof ClusterError) return undefined;
    throw error;
  }
}

async function collectEvents(cluster: Cluster, { metadata }: KubeObject, builder: SnapshotBuilder): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata;
  const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${uid}`;
  try {
    const { items } = await cluster.page(EVENTS, { namespace, fieldSelector, pageSize: PAGE_SIZE });
    for (const item of items) builder.add({ ...item, apiVersion: 'v1', kind: 'Event' }, cluster.server);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    builder.problem(`events of ${namespace}/${name}: ${error.message}`);
  }
}

/** What the pods name, whole, with the volume and the class of each claim. */
async function collectNamed(
  objects: readonly KubeObject[],
  clusterCache: CachedCluster,
  add: (object: KubeObject) => void,
): Promise<void> {
  const wanted = new Map(
    objects.flatMap((object) =>
      podReferences(object).map(({ kind, name }) => {
        const key = { group: '', kind, namespace: object.metadata.namespace ?? '', name };
        return [`${kind}/${name}`, key] as const;
      }),
    ),
  );
  for (const found of await Promise.all([...wanted.values()].map((key) => readKey(clusterCache, key)))) {
    if (found === undefined) continue;
    add(found);
    const name = found.kind === 'PersistentVolumeClaim' ? textAt(found, 'spec', 'volumeName') : '';
    const volume =
      name === ''
        ? undefined
        : await readKey(clusterCache, { group: '', kind: 'PersistentVolume', namespace: '', name });
    if (volume !== undefined) add(volume);
  }
}

interface FactKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

const of = (apiVersion: string, kind: string, isNamespaced: boolean): FactKind => ({ apiVersion, kind, isNamespaced });

/** Lists that matter only in some states: nodes to a pod without one, quotas where there is no pod. */
function clusterFacts(hook: KubeObject, pods: readonly KubeObject[]): FactKind[] {
  const isUnscheduled = pods.some((pod) => textAt(pod, 'spec', 'nodeName') === '');
  const hasClaims = [hook, ...pods].some((each) =>
    podReferences(each).some(({ kind }) => kind === 'PersistentVolumeClaim'),
  );
  return [
    ...(isUnscheduled ? [of('v1', 'Node', false)] : []),
    ...(pods.length === 0 ? [of('v1', 'ResourceQuota', true), of('v1', 'LimitRange', true)] : []),
    ...(hasClaims ? [of('v1', 'PersistentVolumeClaim', true), of('storage.k8s.io/v1', 'StorageClass', false)] : []),
  ];
}

async function collectPage(
  clusterCache: CachedCluster,
  { apiVersion, kind, isNamespaced }: FactKind,
  ofHook: string,
  builder: SnapshotBuilder,
): Promise<void> {
  const served = clusterCache.kindOf({ apiVersion, kind });
  if (served === undefined) return;
  const namespace = isNamespaced ? ofHook : '';
  const listed = (listing: Listing, because: string): void => {
    builder.listing({ group: served.group, kind, namespace, listing, because });
  };
  try {
    const { items, continue: more } = await clusterCache.cluster.page(served, {
      ...(namespace === '' ? {} : { namespace }),
      pageSize: PAGE_SIZE,
    });
    for (const item of items) builder.add({ ...item, apiVersion, kind }, clusterCache.cluster.server);
    listed(more === '' ? 'complete' : 'partial', more === '' ? '' : `only the first ${PAGE_SIZE}`);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    listed(error.status === 403 ? 'forbidden' : 'missing', error.message);
  }
}

/** That something is absent is proof only where all names are known. */
function listNames(clusterCache: CachedCluster, kind: string, namespace: string, builder: SnapshotBuilder): void {
  if (!clusterCache.isWatched({ group: '', kind })) return;
  const unreadable = clusterCache.unreadableReason({ group: '', kind });
  const names = clusterCache
    .listOf({ group: '', kind })
    .filter(({ metadata }) => metadata.namespace === namespace)
    .slice(0, PAGE_SIZE);
  // An object that was read whole stays whole: of the same version the longer one counts.
  for (const { metadata } of names) {
    const { name = '', resourceVersion = '', creationTimestamp = '' } = metadata;
    builder.add(
      { apiVersion: 'v1', kind, metadata: { name, namespace, resourceVersion, creationTimestamp } },
      clusterCache.cluster.server,
    );
  }
  builder.listing({
    group: '',
    kind,
    namespace,
    listing: unreadable === undefined && names.length < PAGE_SIZE ? 'complete' : 'partial',
    because: unreadable ?? '',
  });
}
