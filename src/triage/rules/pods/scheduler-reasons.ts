import { isControlPlane } from '../nodes/control-plane.js';
import { fittingNodes, SELECTS } from './node-affinity.js';
import type { SchedulingFailure } from './scheduling-failure.js';

interface SchedulerReason {
  /** The number of nodes that it holds for. */
  readonly count: number;
  readonly text: string;
}

/** The reasons in a message such as `0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu.` */
function reasonsOf(message: string): SchedulerReason[] {
  const list = /nodes are available: (.*?)(?:\. |\.?$)/s.exec(message)?.[1] ?? '';
  return list.split(/, (?=\d+ )/).flatMap((part) => {
    const [, count = '', text = ''] = /^(\d+) (.+)$/s.exec(part) ?? [];
    return count === '' ? [] : [{ count: Number(count), text }];
  });
}

/** Why a node of the control plane is left out, as it is for every workload. */
const OF_CONTROL_PLANE = /were unschedulable|node-role\.kubernetes\.io|untolerated taint(?:\(s\))?$|CriticalAddonsOnly/;

/** Asked last of all: the nodes that it names accept the pod in every other respect. */
const OF_VOLUMES = /max volume count|volume node affinity|PersistentVolume/;

/**
 * The same failure once for each reason that decides, most nodes first. What keeps pods off the control plane does not
 * decide, and that other nodes do not match does not, where the selected ones exist.
 */
export function decisiveReasons(failure: SchedulingFailure): SchedulingFailure[] {
  const reasons = reasonsOf(failure.message);
  const planes = failure.graph.store.ofKind('', 'Node').filter(isControlPlane).length;
  const areSelected = fittingNodes(failure).length > 0;
  const decisive = reasons.filter(
    ({ count, text }) =>
      !(OF_CONTROL_PLANE.test(text) && count <= planes) && !(areSelected && SELECTS.test(text) && !/pod/.test(text)),
  );
  return [...(decisive.length > 0 ? decisive : reasons)]
    .sort((a, b) => Number(OF_VOLUMES.test(b.text)) - Number(OF_VOLUMES.test(a.text)) || b.count - a.count)
    .map(({ text }) => ({ ...failure, message: text }));
}
