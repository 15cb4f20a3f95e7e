import { objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Graph, Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';

const ROLE = 'node-role.kubernetes.io/';
const ROLES = ['control-plane', 'master', 'etcd', 'controlplane'];

/** A node of the control plane, as installers mark it: workloads are not expected there. */
export function isControlPlane({ object }: Node): boolean {
  const labels = Object.keys(objectAt(object, 'metadata', 'labels') ?? {});
  return (
    labels.some((label) => ROLES.includes(label.replace(ROLE, ''))) ||
    ROLES.includes(textAt(object, 'metadata', 'labels', 'kubernetes.io/role')) ||
    objectsAt(object, 'spec', 'taints').some((taint) => ROLES.includes(textAt(taint, 'key').replace(ROLE, '')))
  );
}

/** The nodes that a pod may be meant for: of the control plane only if it asks for them or there are no others. */
export function nodesFor(pod: Node, graph: Graph): readonly Node[] {
  const all = graph.store.ofKind('', 'Node');
  const workers = asksForControlPlane(pod) ? all : all.filter((node) => !isControlPlane(node));
  return workers.length === 0 ? all : workers;
}

function asksForControlPlane({ object }: Node): boolean {
  const selects = JSON.stringify([
    valueAt(object, 'spec', 'nodeSelector') ?? null,
    valueAt(object, 'spec', 'affinity', 'nodeAffinity') ?? null,
  ]);
  return (
    selects.includes(ROLE) ||
    objectsAt(object, 'spec', 'tolerations').some((toleration) =>
      ['', ...ROLES].includes(textAt(toleration, 'key').replace(ROLE, '')),
    )
  );
}
