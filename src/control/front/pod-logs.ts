import { Fault, keyText, type KubeObject } from '../../model/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { FrontDesk } from './front-desk.js';
import type { ApplicationTree, ResourceNode } from './resource-tree.js';

export interface LogWish {
  readonly namespace: string;
  readonly podName: string;
  readonly container: string;
  readonly group: string;
  readonly kind: string;
  readonly resourceName: string;
  readonly sinceSeconds: number;
  readonly sinceTime: string;
  readonly tailLines: number;
  readonly follow: boolean;
  readonly previous: boolean;
}

export interface LogLine {
  readonly pod: string;
  readonly text: string;
  /** RFC 3339 with nanoseconds, as the server gives it; sorts as text. */
  readonly time: string;
}

const MOST_PODS = 10;

/** What the pods of an application write, each line as it comes; of several pods, what is there already in the order of time. It waits for `take` where that asks for it. */
export async function followLogs(desk: FrontDesk, application: KubeObject, wish: LogWish, take: (line: LogLine) => Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const pods = selectedPods(await desk.tree(application), wish);
  if (pods.length > MOST_PODS) throw new Fault('VALUE_INVALID', `max pods to view logs are reached. Please provide more granular query: ${pods.length} pods match, ${MOST_PODS} are shown at most`);
  const { cluster } = await desk.destination(application);
  if (wish.follow && pods.length > 0) {
    await Promise.all(pods.map((pod) => whileThere(desk, cluster, pod, signal, (until) => cluster.lines(logPath(pod, wish), (line) => { void take(lineOf(pod, line)); }, until).catch((error: unknown) => { if (!until.aborted) tellFault(pod, error, (line) => void take(line)); }))));
    return;
  }
  const lines = await Promise.all(pods.map(async (pod) => {
    try {
      return (await cluster.text(logPath(pod, wish), { signal })).split('\n').filter((line) => line !== '').map((line) => lineOf(pod, line));
    } catch (error) {
      const told: LogLine[] = [];
      tellFault(pod, error, (line) => told.push(line));
      return told;
    }
  }));
  for (const line of lines.flat().sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))) {
    if (signal.aborted) return;
    await take(line);
  }
}

const PODS = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** A log ends with its pod, also where whoever writes it does not notice. */
async function whileThere(desk: FrontDesk, cluster: Cluster, { namespace = '', name, uid }: ResourceNode, client: AbortSignal, follow: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const gone = new AbortController();
  const stop = desk.onObject(({ key }) => {
    if (key.kind !== 'Pod' || key.group !== '' || key.name !== name || key.namespace !== namespace) return;
    // One that cannot be asked about now is judged at its next change.
    cluster.get(PODS, { namespace, name }).then((pod) => { if (pod?.metadata.uid !== uid) gone.abort(); }, () => undefined);
  });
  try {
    await follow(AbortSignal.any([client, gone.signal]));
  } finally {
    stop();
  }
}

/** A pod that cannot give its log, as one that has not begun, says so in a line. */
function tellFault({ name }: ResourceNode, error: unknown, take: (line: LogLine) => void): void {
  if (!(error instanceof Fault)) throw error;
  take({ pod: name, text: error.message, time: '' });
}

function lineOf({ name }: ResourceNode, line: string): LogLine {
  const space = line.indexOf(' ');
  const time = line.slice(0, space);
  return /^\d{4}-\d\d-\d\dT/.test(time) ? { pod: name, time, text: line.slice(space + 1) } : { pod: name, time: '', text: line };
}

function logPath({ namespace = '', name }: ResourceNode, wish: LogWish): string {
  const query = new URLSearchParams({ timestamps: 'true' });
  if (wish.container !== '') query.set('container', wish.container);
  if (wish.follow) query.set('follow', 'true');
  if (wish.previous) query.set('previous', 'true');
  if (wish.sinceSeconds > 0) query.set('sinceSeconds', String(wish.sinceSeconds));
  if (wish.sinceTime !== '') query.set('sinceTime', wish.sinceTime);
  if (wish.tailLines > 0) query.set('tailLines', String(wish.tailLines));
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log?${query.toString()}`;
}

/** Pods that fit, or that belong to something that fits. */
function selectedPods({ nodes }: ApplicationTree, wish: LogWish): ResourceNode[] {
  const [kind, name] = wish.podName === '' ? [wish.kind, wish.resourceName] : ['Pod', wish.podName];
  const byKey = new Map(nodes.map((node) => [nameOf(node), node]));
  const fits = (node: ResourceNode, seen: ReadonlySet<ResourceNode>): boolean => {
    if ((name === '' || node.name === name) && (kind === '' || node.kind === kind) && (wish.group === '' || (node.group ?? '') === wish.group) && (wish.namespace === '' || (node.namespace ?? '') === wish.namespace)) return true;
    return (node.parentRefs ?? []).some((parent) => {
      const above = byKey.get(nameOf(parent));
      return above !== undefined && !seen.has(above) && fits(above, new Set([...seen, above]));
    });
  };
  return nodes.filter((node) => node.kind === 'Pod' && (node.group ?? '') === '' && node.uid !== undefined && fits(node, new Set([node])));
}

function nameOf({ group = '', kind, namespace = '', name }: Pick<ResourceNode, 'group' | 'kind' | 'namespace' | 'name'>): string {
  return keyText({ group, kind, namespace, name });
}
