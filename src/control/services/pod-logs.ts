import type { Cluster } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import type { ResourceService } from './resource-service.js';
import type { ApplicationTree, ResourceNode } from './resource-tree.js';
import { watchPod } from './watch-pod.js';

/** Which lines of a log are wanted; 0 and empty mean all. */
export interface LogRange {
  readonly sinceSeconds: number;
  readonly sinceTime: string;
  readonly tailLines: number;
  /** Goes on until the container ends. */
  readonly follow: boolean;
  readonly previous: boolean;
}

export interface PodLogRequest extends LogRange {
  readonly namespace: string;
  readonly podName: string;
  readonly container: string;
  readonly group: string;
  readonly kind: string;
  readonly resourceName: string;
}

/** A container that writes; without a name the only one of its pod. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Ends a log that is followed: its pod is not there any more. */
  readonly gone?: AbortSignal | undefined;
}

export interface LogLine {
  readonly pod: string;
  readonly text: string;
  /** RFC 3339 with nanoseconds, as the server gives it; sorts as text. */
  readonly time: string;
  /** Nobody wrote it: it says why there is no log. */
  readonly isProblem?: true;
}

/** The returned promise holds back the next line. */
export type LogConsumer = (line: LogLine) => Promise<void> | undefined;

const MAX_PODS = 10;

/** What the pods of an application write. */
export async function followLogs(
  resources: ResourceService,
  application: KubeObject,
  request: PodLogRequest,
  take: LogConsumer,
  signal: AbortSignal,
): Promise<void> {
  const pods = selectedPods(await resources.tree(application), request);
  checkPodLimit(pods.length);
  const { cluster } = await resources.destination(application);
  const watches = request.follow ? pods.map((pod) => watchPod(resources, cluster, pod)) : [];
  try {
    await readLogs(
      cluster,
      pods.map(({ namespace = '', name }, index) => ({
        namespace,
        pod: name,
        container: request.container,
        gone: watches[index]?.gone,
      })),
      request,
      take,
      signal,
    );
  } finally {
    for (const { stop } of watches) stop();
  }
}

export function checkPodLimit(pods: number): void {
  if (pods > MAX_PODS)
    throw new Fault(
      'VALUE_INVALID',
      `max pods to view logs are reached. Please provide more granular query: ${pods} pods match, ` +
        `${MAX_PODS} are shown at most`,
    );
}

/**
 * Each line as it comes; without follow, those of all containers in the order of time. It waits for `take` where that
 * asks for it.
 */
export async function readLogs(
  cluster: Cluster,
  sources: readonly LogSource[],
  range: LogRange,
  take: LogConsumer,
  signal: AbortSignal,
): Promise<void> {
  if (range.follow) {
    await Promise.all(
      sources.map((source) => {
        const until = source.gone === undefined ? signal : AbortSignal.any([signal, source.gone]);
        return cluster
          .lines(
            logPath(source, range),
            (line) => {
              void take(lineOf(source, line));
            },
            until,
          )
          .catch((error: unknown) => {
            if (!until.aborted) void take(errorLine(source, error));
          });
      }),
    );
    return;
  }
  const lines = await Promise.all(
    sources.map(async (source) => {
      try {
        return (await cluster.text(logPath(source, range), { signal }))
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => lineOf(source, line));
      } catch (error) {
        return [errorLine(source, error)];
      }
    }),
  );
  for (const line of lines.flat().sort((a, b) => compareText(a.time, b.time))) {
    if (signal.aborted) return;
    await take(line);
  }
}

/** A container that cannot give its log, as one that has not begun, says so in a line. */
function errorLine({ pod }: LogSource, error: unknown): LogLine {
  if (!(error instanceof Fault)) throw error;
  return { pod, text: error.message, time: '', isProblem: true };
}

function lineOf({ pod }: LogSource, line: string): LogLine {
  const space = line.indexOf(' ');
  const time = line.slice(0, space);
  return /^\d{4}-\d\d-\d\dT/.test(time) ? { pod, time, text: line.slice(space + 1) } : { pod, time: '', text: line };
}

function logPath(
  { namespace, pod, container }: LogSource,
  { follow, previous, sinceSeconds, sinceTime, tailLines }: LogRange,
): string {
  const query = new URLSearchParams({ timestamps: 'true' });
  if (container !== '') query.set('container', container);
  if (follow) query.set('follow', 'true');
  if (previous) query.set('previous', 'true');
  if (sinceSeconds > 0) query.set('sinceSeconds', String(sinceSeconds));
  if (sinceTime !== '') query.set('sinceTime', sinceTime);
  if (tailLines > 0) query.set('tailLines', String(tailLines));
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`;
}

/** Pods that fit, or that belong to something that fits. */
function selectedPods({ nodes }: ApplicationTree, request: PodLogRequest): ResourceNode[] {
  const [kind, name] = request.podName === '' ? [request.kind, request.resourceName] : ['Pod', request.podName];
  const byKey = new Map(nodes.map((node) => [nodeKey(node), node]));
  const fits = (node: ResourceNode, visited: ReadonlySet<ResourceNode>): boolean => {
    if (
      (name === '' || node.name === name) &&
      (kind === '' || node.kind === kind) &&
      (request.group === '' || (node.group ?? '') === request.group) &&
      (request.namespace === '' || (node.namespace ?? '') === request.namespace)
    )
      return true;
    return (node.parentRefs ?? []).some((parent) => {
      const above = byKey.get(nodeKey(parent));
      return above !== undefined && !visited.has(above) && fits(above, new Set([...visited, above]));
    });
  };
  return nodes.filter(
    (node) => node.kind === 'Pod' && (node.group ?? '') === '' && node.uid !== undefined && fits(node, new Set([node])),
  );
}

function nodeKey({
  group = '',
  kind,
  namespace = '',
  name,
}: Pick<ResourceNode, 'group' | 'kind' | 'namespace' | 'name'>): string {
  return keyText({ group, kind, namespace, name });
}
