import { ClusterError, type Cluster, type ResourceKind } from '../../src/cluster/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { OUTSIDE } from './injection/names.js';

export interface ContainerLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the run before the present one. */
  readonly isPrevious: boolean;
  readonly text: string;
}

/** What a cluster holds, as somebody sees it who may see everything. */
export interface Collected {
  readonly objects: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly logs: readonly ContainerLog[];
}

/** Namespaces in which the world keeps what lies outside of a cluster. */
const HIDDEN = [OUTSIDE, 'azure'];
const HIDDEN_KEY = /^(world\.argosy\.dev\/|argosy\.dev\/(simulate|exec|image-rules))/;
/** Who writes what only the world knows. */
const HIDDEN_MANAGERS = ['told-programs', 'dialling-programs', 'programs', 'vault'];
const LISTS_AT_ONCE = 8;
const LOG_LINES = 500;

export async function collect(cluster: Cluster): Promise<Collected> {
  const { kinds } = await cluster.discover();
  const wanted = preferred(kinds).values();
  const found: KubeObject[] = [];
  await Promise.all(
    Array.from({ length: LISTS_AT_ONCE }, async () => {
      for (const kind of wanted) found.push(...(await cluster.list(kind)).items);
    }),
  );
  const objects = found
    .filter(isVisible)
    .map(withoutWorld)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const logs = await logsOf(
    cluster,
    objects.filter(({ kind }) => kind === 'Pod'),
  );
  return {
    objects: objects.filter(({ kind }) => kind !== 'Event'),
    events: objects.filter(({ kind }) => kind === 'Event'),
    logs,
  };
}

const sortKey = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [kind, apiVersion, metadata.namespace ?? '', metadata.name ?? ''].join('\0');

/** Each kind once, and what is measured at all times not at all. */
function preferred(kinds: readonly ResourceKind[]): ResourceKind[] {
  const chosen = new Map<string, ResourceKind>();
  for (const kind of kinds) {
    const isOther = kind.group === 'metrics.k8s.io' || (kind.group === 'events.k8s.io' && kind.kind === 'Event');
    if (kind.verbs.includes('list') && !isOther && !chosen.has(`${kind.group}/${kind.kind}`))
      chosen.set(`${kind.group}/${kind.kind}`, kind);
  }
  return [...chosen.values()];
}

function isVisible({ kind, metadata, involvedObject }: KubeObject): boolean {
  const about = isObject(involvedObject) ? involvedObject.namespace : undefined;
  return (
    !HIDDEN.includes(metadata.namespace ?? '') &&
    !HIDDEN.includes(String(about)) &&
    !(kind === 'Namespace' && HIDDEN.includes(metadata.name ?? '')) &&
    metadata.labels?.['argosy.dev/image-rules'] === undefined
  );
}

/** The same object without what tells the simulation what to do. */
function withoutWorld(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const fields = managedFields
    ?.filter(({ manager }) => !HIDDEN_MANAGERS.includes(manager ?? ''))
    .map((entry) => cleaned(entry as unknown as JsonObject));
  return {
    ...cleaned<JsonObject>({ ...object, metadata }),
    ...(fields === undefined ? {} : { metadata: { ...cleaned(metadata as JsonObject), managedFields: fields } }),
  } as unknown as KubeObject;
}

function cleaned<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => cleaned(item)) as Value;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value))
    if (!HIDDEN_KEY.test(key.replace(/^f:/, ''))) put(copy, key, cleaned(own(value, key) ?? null));
  return copy as Value;
}

/** Of containers that failed or are not ready, and of all that belong to Jobs. */
async function logsOf(cluster: Cluster, pods: readonly KubeObject[]): Promise<ContainerLog[]> {
  const logs: ContainerLog[] = [];
  for (const pod of pods) {
    const isOfJob =
      pod.metadata.ownerReferences?.some(
        ({ kind }) => kind === 'Job' || kind === 'Build' || kind === 'NotebookValidationJob',
      ) ?? false;
    for (const status of containerStatuses(pod)) {
      const restarts = Number(status.restartCount ?? 0);
      if (!isOfJob && status.ready === true && restarts === 0) continue;
      for (const isPrevious of restarts > 0 ? [false, true] : [false]) {
        const text = await logOf(cluster, pod, String(status.name), isPrevious);
        if (text !== undefined && text !== '')
          logs.push({
            namespace: pod.metadata.namespace ?? '',
            pod: pod.metadata.name ?? '',
            container: String(status.name),
            isPrevious,
            text,
          });
      }
    }
  }
  return logs;
}

function containerStatuses({ status }: KubeObject): JsonObject[] {
  const { initContainerStatuses, containerStatuses: own } = isObject(status) ? status : {};
  return [initContainerStatuses, own].flatMap((list) => (isArray(list) ? list.filter(isObject) : []));
}

/** Nothing where the container has not run. */
async function logOf(
  cluster: Cluster,
  { metadata }: KubeObject,
  container: string,
  isPrevious: boolean,
): Promise<string | undefined> {
  const pod = `/api/v1/namespaces/${metadata.namespace ?? ''}/pods/${metadata.name ?? ''}`;
  const previous = isPrevious ? '&previous=true' : '';
  try {
    return await cluster.text(`${pod}/log?container=${container}&tailLines=${LOG_LINES}${previous}`);
  } catch (error) {
    if (error instanceof ClusterError) return undefined;
    throw error;
  }
}
