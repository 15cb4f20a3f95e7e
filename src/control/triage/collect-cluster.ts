import { setImmediate as turn } from 'node:timers/promises';
import { apiVersionOf, ClusterError, type Cluster, type ResourceKind } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SnapshotBuilder, type Snapshot } from '../../triage/index.js';

const LOG_LINES = 500;
/** Lists at a time: enough to be quick, few enough that a busy server does not mind. */
const CONCURRENCY = 6;
const MAX_LOGS = 200;
const BATCH_SIZE = 100;

/** Kinds that answer questions and hold nothing, or change every second. */
const SKIPPED = new Set(['authorization.k8s.io', 'authentication.k8s.io', 'packages.operators.coreos.com']);

const METRICS = 'metrics.k8s.io';

/** What nobody should ask for any more: the server would warn of it, and it says nothing that others do not. */
const DEPRECATED_KINDS = new Set(['/ComponentStatus', '/Endpoints']);

/** Where what was read goes: a builder, or somebody on the way to one. */
export type SnapshotSink = Pick<SnapshotBuilder, 'add' | 'addLog' | 'listing' | 'loss' | 'problem'>;

/** `measure` adds what something else than the cluster knows, meanwhile. */
export async function collectCluster(
  cluster: Cluster,
  now: number,
  measure: (builder: SnapshotBuilder, now: number) => Promise<void> = () => Promise.resolve(),
): Promise<Snapshot> {
  const builder = new SnapshotBuilder();
  await Promise.all([collectInto(cluster, builder), measure(builder, now)]);
  return builder.build(now);
}

/** Reads everything that may be read; what may not is written down. Only GET is ever sent. */
export async function collectInto(cluster: Cluster, builder: SnapshotSink): Promise<void> {
  const { kinds, failed } = await cluster.discover();
  for (const { groupVersion, message } of failed) builder.problem(`${groupVersion}: ${message}`);
  const wanted = informativeKinds(kinds);
  const pods: KubeObject[] = [];
  await runConcurrently(wanted, CONCURRENCY, async (kind) => {
    for (const object of await listKind(cluster, kind, builder)) {
      if (kind.kind === 'Pod' && kind.group === '') pods.push(object);
    }
  });
  await collectLogs(cluster, pods, builder, MAX_LOGS);
}

/** The last lines of what containers in trouble wrote, and of those that tell something while they are well. */
export async function collectLogs(
  cluster: Cluster,
  pods: readonly KubeObject[],
  builder: SnapshotSink,
  max: number,
  timeout: number = LOG_TIMEOUT,
): Promise<void> {
  const patience: Patience = { timeout, left: MAX_LATE, late: new Set() };
  const nodes = new Map(pods.map((pod) => [placeOf(pod), isObject(pod.spec) ? textOf(own(pod.spec, 'nodeName')) : '']));
  await runConcurrently(
    [...failingContainers(pods), ...informativeContainers(pods)].slice(0, max),
    CONCURRENCY,
    (log) => readLog(cluster, log, nodes.get(`${log.namespace}/${log.pod}`) ?? '', patience, builder),
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const placeOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** A kubelet that hangs must not hang triage: it is asked once, and after a few of them nobody is asked any more. */
const LOG_TIMEOUT = 4_000;
const MAX_LATE = 2;

interface Patience {
  readonly timeout: number;
  left: number;
  /** Nodes whose kubelet did not answer. */
  readonly late: Set<string>;
}

/** Kinds that can be listed and say something that others do not. */
export function informativeKinds(kinds: readonly ResourceKind[]): ResourceKind[] {
  return kinds.filter(
    (kind) =>
      kind.verbs.includes('list') &&
      kind.preferred &&
      !SKIPPED.has(kind.group) &&
      kind.group !== 'events.k8s.io' &&
      !DEPRECATED_KINDS.has(`${kind.group}/${kind.kind}`),
  );
}

async function listKind(cluster: Cluster, kind: ResourceKind, builder: SnapshotSink): Promise<readonly KubeObject[]> {
  const { group, kind: name } = kind;
  try {
    const { items } = await cluster.list(kind);
    for (const [index, item] of items.entries()) {
      // A server that answers people meanwhile gets its turn.
      if (index % BATCH_SIZE === BATCH_SIZE - 1) await turn();
      // Items of a typed list need not repeat what the list says.
      const typed = item as { apiVersion?: string; kind?: string };
      typed.apiVersion ??= apiVersionOf(kind);
      typed.kind ??= name;
      builder.add(item, cluster.server);
    }
    builder.listing({ group, kind: name, namespace: '', listing: 'complete', because: '' });
    return items;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    builder.listing({
      group,
      kind: name,
      namespace: '',
      listing: error.status === 403 ? 'forbidden' : 'missing',
      because: error.message,
    });
    const say = `${group === '' ? name : `${group}/${name}`}: ${error.message}`;
    // What pods use at the moment hides no cause.
    if (group === METRICS) builder.problem(say);
    else builder.loss(say);
    return [];
  }
}

interface WantedLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

/** Containers that failed or are not ready; of those that run again, the run before too. */
function failingContainers(pods: readonly KubeObject[]): WantedLog[] {
  return pods.flatMap((pod) => {
    const status = isObject(pod.status) ? pod.status : {};
    const list = [
      ...(Array.isArray(status.initContainerStatuses) ? status.initContainerStatuses : []),
      ...(Array.isArray(status.containerStatuses) ? status.containerStatuses : []),
    ];
    return list.filter(isObject).flatMap((container) => {
      const restarted = typeof container.restartCount === 'number' && container.restartCount > 0;
      const { state } = container;
      const ended = isObject(state) && isObject(state.terminated) && state.terminated.exitCode !== 0;
      const started = restarted || ended || (isObject(state) && isObject(state.running));
      if (!started || typeof container.name !== 'string' || (container.ready === true && !restarted)) return [];
      const wanted = {
        namespace: pod.metadata.namespace ?? '',
        pod: pod.metadata.name ?? '',
        container: container.name,
      };
      return [{ ...wanted, previous: false }, ...(restarted ? [{ ...wanted, previous: true }] : [])];
    });
  });
}

/** Pods whose logs say something while they are well: those of jobs, and the controllers of Argo CD. */
function informativeContainers(pods: readonly KubeObject[]): WantedLog[] {
  const isTelling = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true ||
    (metadata.labels?.['app.kubernetes.io/part-of'] === 'argocd' &&
      /application-controller|repo-server|applicationset-controller/.test(metadata.name ?? ''));
  const known = new Set(failingContainers(pods).map((log) => `${log.namespace}/${log.pod}/${log.container}`));
  return pods.filter(isTelling).flatMap((pod) => {
    const status = isObject(pod.status) ? pod.status : {};
    const list = Array.isArray(status.containerStatuses) ? status.containerStatuses.filter(isObject) : [];
    const started = list.filter(
      ({ state }) => isObject(state) && (isObject(state.running) || isObject(state.terminated)),
    );
    return started
      .flatMap(({ name }) =>
        typeof name === 'string'
          ? [
              {
                namespace: pod.metadata.namespace ?? '',
                pod: pod.metadata.name ?? '',
                container: name,
                previous: false,
              },
            ]
          : [],
      )
      .filter((log) => !known.has(`${log.namespace}/${log.pod}/${log.container}`));
  });
}

async function readLog(
  cluster: Cluster,
  log: WantedLog,
  node: string,
  patience: Patience,
  builder: SnapshotSink,
): Promise<void> {
  if (patience.late.has(node) || patience.left <= 0) return;
  const part = encodeURIComponent;
  try {
    const text = await cluster.text(
      `/api/v1/namespaces/${part(log.namespace)}/pods/${part(log.pod)}/log` +
        `?container=${part(log.container)}&tailLines=${LOG_LINES}${log.previous ? '&previous=true' : ''}`,
      { limits: { tries: 1, timeout: patience.timeout } },
    );
    builder.addLog({ ...log, lines: text.split('\n').filter((line) => line !== '') });
  } catch (error) {
    if (error instanceof ClusterError)
      builder.problem(`log of ${log.namespace}/${log.pod} ${log.container}: ${error.message}`);
    else if (error instanceof Fault) lateAnswer(node, patience, builder);
    else throw error;
  }
}

function lateAnswer(node: string, patience: Patience, builder: SnapshotSink): void {
  if (patience.late.has(node)) return;
  patience.late.add(node);
  patience.left--;
  builder.loss(
    `logs of pods on node ${node}: no answer within ${patience.timeout / 1000} seconds, they are left out` +
      (patience.left <= 0 ? ', and logs of other nodes too' : ''),
  );
}

export async function runConcurrently<T>(
  items: readonly T[],
  width: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
    }),
  );
}
