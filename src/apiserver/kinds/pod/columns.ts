import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  type Column,
  AGE,
  column,
  NAME,
  since,
  wide,
  count,
  flag,
  has,
  items,
  maybe,
  sub,
  text,
} from '../../resources/index.js';

/** What `kubectl get pods` says about a pod. */
interface PodSummary {
  readonly ready: string;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
}

/** Restarts counted so far and when the last one was. */
interface Restarts {
  readonly count: number;
  readonly last: string;
}

const NO_RESTARTS: Restarts = { count: 0, last: '' };

export const POD_COLUMNS: readonly Column[] = [
  NAME,
  column('Ready', (pod) => summarize(pod).ready),
  column('Status', (pod) => summarize(pod).reason),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summarize(pod);
    return restarts > 0 && lastRestart !== '' ? `${restarts} (${since(lastRestart, now)} ago)` : `${restarts}`;
  }),
  AGE,
  wide('IP', (pod) => text(items(maybe(pod, 'status'), 'podIPs')[0], 'ip') || '<none>'),
  wide('Node', (pod) => text(maybe(pod, 'spec'), 'nodeName') || '<none>'),
  wide('Nominated Node', (pod) => text(maybe(pod, 'status'), 'nominatedNodeName') || '<none>'),
  wide('Readiness Gates', readinessGates),
];

function readinessGates(pod: KubeObject): string {
  const gates = items(maybe(pod, 'spec'), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const met = gates.filter((gate) => condition(pod, text(gate, 'conditionType'))?.status === 'True');
  return `${met.length}/${gates.length}`;
}

function condition(pod: KubeObject, type: string): JsonObject | undefined {
  return items(maybe(pod, 'status'), 'conditions').find((entry) => text(entry, 'type') === type);
}

function summarize(pod: KubeObject): PodSummary {
  const status = sub(pod, 'status');
  const init = summarizeInit(pod);
  const sidecars = items(maybe(pod, 'spec'), 'initContainers').filter(isSidecar).length;
  const total = items(maybe(pod, 'spec'), 'containers').length + sidecars;
  let { ready, reason, restarts } = init;
  if (!init.initializing || condition(pod, 'Initialized')?.status === 'True') {
    const main = summarizeMain(pod, reason);
    ready += main.ready;
    reason = main.reason;
    restarts = add(init.sidecarRestarts, main.restarts);
  }
  if (has(pod.metadata, 'deletionTimestamp')) {
    if (text(status, 'reason') === 'NodeLost') reason = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(text(status, 'phase'))) reason = 'Terminating';
  }
  return { ready: `${ready}/${total}`, reason, restarts: restarts.count, lastRestart: restarts.last };
}

function isSidecar(container: JsonObject): boolean {
  return text(container, 'restartPolicy') === 'Always';
}

function restartsOf(container: JsonObject): Restarts {
  return {
    count: count(container, 'restartCount'),
    last: text(maybe(container, 'lastState.terminated'), 'finishedAt'),
  };
}

function add(a: Restarts, b: Restarts): Restarts {
  return { count: a.count + b.count, last: a.last > b.last ? a.last : b.last };
}

function ending(prefix: string, terminated: JsonObject): string {
  const reason = text(terminated, 'reason');
  if (reason !== '') return `${prefix}${reason}`;
  const signal = count(terminated, 'signal');
  return signal === 0 ? `${prefix}ExitCode:${count(terminated, 'exitCode')}` : `${prefix}Signal:${signal}`;
}

/** The first init container that has not done its work decides. */
function summarizeInit(pod: KubeObject): {
  ready: number;
  reason: string;
  restarts: Restarts;
  sidecarRestarts: Restarts;
  initializing: boolean;
} {
  const status = sub(pod, 'status');
  const containers = items(maybe(pod, 'spec'), 'initContainers');
  const gated = text(condition(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  const found = {
    ready: 0,
    reason: gated ? 'SchedulingGated' : text(status, 'reason') || text(status, 'phase'),
    restarts: NO_RESTARTS,
    sidecarRestarts: NO_RESTARTS,
    initializing: false,
  };
  for (const [index, container] of items(status, 'initContainerStatuses').entries()) {
    const sidecar = containers.some((one) => text(one, 'name') === text(container, 'name') && isSidecar(one));
    found.restarts = add(found.restarts, restartsOf(container));
    if (sidecar) found.sidecarRestarts = add(found.sidecarRestarts, restartsOf(container));
    const terminated = maybe(container, 'state.terminated');
    if (terminated !== undefined && count(terminated, 'exitCode') === 0) continue;
    if (sidecar && flag(container, 'started')) {
      if (flag(container, 'ready')) found.ready++;
      continue;
    }
    found.initializing = true;
    const waiting = text(maybe(container, 'state.waiting'), 'reason');
    if (terminated !== undefined) found.reason = ending('Init:', terminated);
    else if (waiting !== '' && waiting !== 'PodInitializing') found.reason = `Init:${waiting}`;
    else found.reason = `Init:${index}/${containers.length}`;
    break;
  }
  return found;
}

/** The first container with something to say decides. */
function summarizeMain(pod: KubeObject, before: string): { ready: number; reason: string; restarts: Restarts } {
  let [ready, reason, restarts] = [0, before, NO_RESTARTS];
  for (const container of items(maybe(pod, 'status'), 'containerStatuses').reverse()) {
    restarts = add(restarts, restartsOf(container));
    const waiting = text(maybe(container, 'state.waiting'), 'reason');
    const terminated = maybe(container, 'state.terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) reason = ending('', terminated);
    else if (flag(container, 'ready') && maybe(container, 'state.running') !== undefined) ready++;
  }
  if (reason === 'Completed' && ready > 0) reason = condition(pod, 'Ready')?.status === 'True' ? 'Running' : 'NotReady';
  return { ready, reason, restarts };
}
