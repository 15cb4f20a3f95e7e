import { numberAt } from '../../../model/json/index.js';
import type { Evidence, Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, fact, kubectlName, leaf } from '../make-finding.js';
import { complainerOf, servicesFor, userOf } from '../service-users.js';

/** Scaled to zero: intended, unless something depends on it. */
export function stopped(node: Node, graph: Graph): Finding[] {
  const need = isScaledByNeed(node, graph) ? undefined : needFor(node, graph);
  return [
    leaf('F09', node, 'ready', `${nodeText(node)} is scaled to zero${need === undefined ? '' : `, ${need.say}`}`, {
      impact: need?.impact ?? 'note',
      ...(need?.isLead === true ? { suspect: true } : {}),
      field: 'spec.replicas',
      evidence: [fact(node, 'spec.replicas', 0), ...(need?.evidence ?? [])],
      fix: act('scale it up if it is needed', [`kubectl scale ${kubectlName(node)} --replicas=1`], {
        verify: `kubectl get ${kubectlName(node)}`,
      }),
    }),
  ];
}

interface Need {
  readonly say: string;
  readonly impact: Finding['impact'];
  /** Nobody is known to call it. */
  readonly isLead: boolean;
  readonly evidence: readonly Evidence[];
}

/** Why somebody may miss it: a client, a complaint of one, how lately it was stopped, that all others run. */
function needFor(node: Node, graph: Graph): Need | undefined {
  const user = userOf(node, graph);
  if (user !== undefined)
    return {
      say: `but ${nodeText(user.node)} uses it`,
      impact: 'capacity',
      isLead: false,
      evidence: [fact(user.node, user.field, user.text)],
    };
  const complaint = complainerOf(node, graph);
  if (complaint !== undefined)
    return {
      say: `but ${nodeText(graph.top(complaint.pod))} asks for it`,
      impact: 'capacity',
      isLead: false,
      evidence: [fact(complaint.pod, 'log', complaint.line)],
    };
  const [service] = servicesFor(node, graph);
  if (service === undefined) return undefined;
  const evidence = [fact(service, 'spec.selector', 'no pods')];
  const stopping = graph
    .events(node)
    .find(({ reason, message }) => reason === 'ScalingReplicaSet' && /Scaled down .* to 0\b/.test(message));
  if (stopping?.time !== undefined && graph.time - stopping.time < LATELY)
    return {
      say: `lately, and ${nodeText(service)} leads to it`,
      impact: 'capacity',
      isLead: true,
      evidence: [...evidence, fact(node, 'event ScalingReplicaSet', stopping.message)],
    };
  return isOnlyOne(node, graph)
    ? {
        say: `and ${nodeText(service)} leads to it; all others of the namespace run`,
        impact: 'drift',
        isLead: true,
        evidence,
      }
    : undefined;
}

/** What was stopped longer ago was meant, or somebody would have come. */
const LATELY = 3_600_000;
/** So many others make it an exception. */
const MANY_OTHERS = 5;

function isOnlyOne(node: Node, graph: Graph): boolean {
  const others = ['Deployment', 'StatefulSet']
    .flatMap((kind) => graph.store.inNamespace('apps', kind, node.key.namespace))
    .filter((other) => other !== node && graph.owner(other) === undefined);
  return others.length >= MANY_OTHERS && others.every(({ object }) => numberAt(object, 'spec', 'replicas') !== 0);
}

/** An autoscaler may scale down an idle workload. */
function isScaledByNeed(node: Node, graph: Graph): boolean {
  return (
    [
      ['keda.sh', 'ScaledObject'],
      ['autoscaling', 'HorizontalPodAutoscaler'],
    ].some(([group = '', kind = '']) =>
      graph.store
        .inNamespace(group, kind, node.key.namespace)
        .some(({ object }) => textAt(object, 'spec', 'scaleTargetRef', 'name') === node.key.name),
    ) || graph.owner(node) !== undefined
  );
}
