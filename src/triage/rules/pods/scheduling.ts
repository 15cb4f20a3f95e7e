import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, isNodeReady, isUnseen, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { amountOf, textAt } from '../../json/index.js';
import { act, change, delegate, fact, leaf } from '../make-finding.js';
import { affinity, fits, fittingNodes } from './node-affinity.js';
import { nodesFor } from '../nodes/control-plane.js';
import { containerFacts, eventOf } from './pod-facts.js';
import type { SchedulingFailure } from './scheduling-failure.js';
import { taintFault, untolerated } from './taints.js';
import { decisiveReasons } from './scheduler-reasons.js';

/** Why a pod is not scheduled: the message of the scheduler, interpreted with the nodes. */
export function unscheduled(pod: Node, graph: Graph): Finding[] {
  const condition = conditionOf(pod.object, 'PodScheduled');
  const message = textAt(condition, 'message') || (eventOf(pod, graph, /^FailedScheduling$/)?.message ?? '');
  const isPending =
    textAt(pod.object, 'status', 'phase') === 'Pending' && textAt(pod.object, 'spec', 'nodeName') === '';
  if (textAt(condition, 'status') === 'True' || (!isPending && textAt(condition, 'status') !== 'False')) return [];
  const onset = sinceOf(condition);
  const details = {
    evidence: message === '' ? [] : [fact(pod, 'status.conditions[PodScheduled].message', message)],
    ...(onset === undefined ? {} : { onset }),
  };
  if (textAt(condition, 'reason') === 'SchedulingGated') {
    const gates = objectsAt(pod.object, 'spec', 'schedulingGates')
      .map((gate) => textAt(gate, 'name'))
      .join(', ');
    return [
      leaf('C10', pod, 'schedule', `${nodeText(pod)} is held by the scheduling gate ${gates}`, {
        ...details,
        field: 'spec.template.spec.schedulingGates',
        fix: change(pod, graph, 'have the owner of the gate admit the pod, or remove the gate from the template'),
      }),
    ];
  }
  if (message === '' && isUnseen(pod, 'spec.template'))
    return [delegate('C09', pod, 'schedule', `${nodeText(pod)} is not scheduled; its events say why`, details)];
  if (message === '') return nobodySchedules(pod, graph);
  const failure = { pod, graph, message, details };
  for (const reason of [...decisiveReasons(failure), failure]) {
    for (const read of SCHEDULING_RULES) {
      const finding = read(reason);
      if (finding !== undefined) return [finding];
    }
  }
  return [delegate('C09', pod, 'schedule', `${nodeText(pod)} cannot be scheduled: ${message}`, details)];
}

type SchedulingRule = (failure: SchedulingFailure) => Finding | undefined;

/** No message of the scheduler: another scheduler is requested, or it is down. */
function nobodySchedules(pod: Node, graph: Graph): Finding[] {
  const name = textAt(pod.object, 'spec', 'schedulerName');
  const age = graph.time - Date.parse(textAt(pod.object, 'metadata', 'creationTimestamp'));
  if (!(age > 60_000) && graph.events(pod).length > 0) return [];
  const evidence = [fact(pod, 'spec.schedulerName', name), fact(pod, 'status.conditions', 'no PodScheduled condition')];
  if (name !== '' && name !== 'default-scheduler')
    return [
      leaf('C16', pod, 'schedule', `${nodeText(pod)} uses the scheduler ${name}, which does not respond`, {
        evidence,
        field: 'spec.schedulerName',
        fix: change(pod, graph, 'use a scheduler that is running'),
      }),
    ];
  const scheduler = graph.store
    .ofKind('', 'Pod')
    .find(({ object }) => textAt(object, 'metadata', 'labels', 'component') === 'kube-scheduler');
  const target = scheduler ?? graph.store.virtual('Component', 'kube-scheduler');
  return [
    delegate('C16', pod, 'schedule', `${nodeText(pod)} is not scheduled: the scheduler is down`, {
      evidence,
      target,
      impact: 'infrastructure',
    }),
  ];
}

const SCHEDULING_RULES: readonly SchedulingRule[] = [
  claimMissing,
  volumes,
  claimsUnbound,
  capacity,
  ports,
  cordoned,
  downNodes,
  affinity,
  (failure) => taintFault(failure, fittingNodes(failure)),
  spread,
];

/** `persistentvolumeclaim "x" not found`, and kinds of the same. */
function claimMissing({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  const name = /persistentvolumeclaim "([^"]+)" not found/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const target = graph.store.missing({ group: '', kind: 'PersistentVolumeClaim', namespace: pod.key.namespace, name });
  return delegate('D10', pod, 'schedule', `${nodeText(pod)} mounts the claim ${name}, which does not exist`, {
    ...details,
    target,
  });
}

function volumes({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  if (/max volume count/.test(message)) {
    const [full] = fittingNodes({ pod, graph, message, details })
      .map(({ key }) => graph.store.get({ group: 'storage.k8s.io', kind: 'CSINode', namespace: '', name: key.name }))
      .filter((each) => each !== undefined);
    return leaf('C07', pod, 'schedule', `no node for ${nodeText(pod)} can attach another volume`, {
      ...details,
      ...(full === undefined ? {} : { blamed: full }),
      impact: 'infrastructure',
      signature: 'max volume count',
      commonTitle: 'no node can attach another volume',
      field: 'CSINode.spec.drivers[].allocatable.count',
      fix: act('add a node to the pool, or move pods with volumes to other nodes', [], {
        where: 'outside',
        verify: 'kubectl get csinodes -o yaml',
      }),
    });
  }
  if (/volume node affinity conflict|PersistentVolume's node affinity/.test(message)) {
    const zonal = graph
      .edges(pod)
      .filter(({ to }) => to.key.kind === 'PersistentVolumeClaim')
      .map(({ to }) =>
        graph.store.get({
          group: '',
          kind: 'PersistentVolume',
          namespace: '',
          name: textAt(to.object, 'spec', 'volumeName'),
        }),
      )
      .find((volume) => valueAt(volume?.object, 'spec', 'nodeAffinity') !== undefined);
    return leaf(
      'C08',
      pod,
      'schedule',
      `the volume of ${nodeText(pod)} is in a different zone than every node it can use`,
      {
        ...details,
        ...(zonal === undefined
          ? {}
          : {
              blamed: zonal,
              evidence: [
                ...details.evidence,
                fact(zonal, 'spec.nodeAffinity', valueAt(zonal.object, 'spec', 'nodeAffinity') ?? null),
              ],
            }),
        field: zonal === undefined ? 'spec.volumes' : 'spec.nodeAffinity',
        fix: change(
          pod,
          graph,
          'schedule the pod in the zone of the volume, or move the data to a volume in the right zone',
          {
            risk: 'data',
          },
        ),
      },
    );
  }
  return undefined;
}

function claimsUnbound({ pod, message, details }: SchedulingFailure): Finding | undefined {
  return /unbound immediate PersistentVolumeClaims|bound PersistentVolumeClaims|volume binding/.test(message) &&
    !/Insufficient/.test(message)
    ? delegate('D11', pod, 'schedule', `${nodeText(pod)} waits for an unbound PersistentVolumeClaim`, details)
    : undefined;
}

function capacity({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  const resources = [...message.matchAll(/Insufficient ([a-z0-9./-]*[a-z0-9])/g)].map(([, name]) => name ?? '');
  if (/Too many pods/.test(message)) resources.push('pods');
  const [resource] = resources;
  if (resource === undefined) return undefined;
  if (eventOf(pod, graph, /^TriggeredScaleUp$/) !== undefined)
    return leaf('C05', pod, 'schedule', `${nodeText(pod)} waits for a node scale-up`, {
      ...details,
      level: 'waiting',
      impact: 'note',
    });
  const requestedAmount = requested(pod, resource);
  // A table of nodes does not print what they have.
  const known = graph.store
    .ofKind('', 'Node')
    .filter(({ object }) => valueAt(object, 'status', 'allocatable') !== undefined);
  const largest = Math.max(
    0,
    ...known.map(({ object }) => amountOf(valueAt(object, 'status', 'allocatable', resource))),
  );
  const rule = resource.includes('/') ? 'C06' : 'C05';
  const evidence = [
    ...details.evidence,
    fact(pod, `spec.containers[].resources.requests.${resource}`, String(requestedAmount)),
    ...(known.length === 0
      ? []
      : [{ of: 'Nodes', path: `status.allocatable.${resource}`, value: `at most ${largest}` }]),
  ];
  if (requestedAmount > largest && known.length > 0) {
    const title =
      largest === 0
        ? `no node offers ${resource}, which ${nodeText(pod)} requests`
        : `${nodeText(pod)} requests more ${resource} than any node has`;
    return leaf(rule, pod, 'schedule', title, {
      ...details,
      evidence,
      field: 'spec.template.spec.containers[].resources.requests',
      ...(largest === 0 ? { signature: `none ${resource}`, commonTitle: `no node offers ${resource}` } : {}),
      fix: change(pod, graph, `request less ${resource}, or add a node with enough`),
    });
  }
  return leaf(rule, pod, 'schedule', `no node has enough ${resource} left for ${nodeText(pod)}`, {
    ...details,
    evidence,
    signature: `full ${resource}`,
    commonTitle: `the nodes have no ${resource} left`,
    field: 'spec.template.spec.containers[].resources.requests',
    fix: change(pod, graph, `add nodes, or request less ${resource}`),
  });
}

function requested(pod: Node, resource: string): number {
  if (resource === 'pods') return 1;
  const sum = (isInit: boolean): number[] =>
    containerFacts(pod)
      .filter((each) => each.isInit === isInit)
      .map(({ spec }) =>
        amountOf(valueAt(spec, 'resources', 'requests', resource) ?? valueAt(spec, 'resources', 'limits', resource)),
      );
  return Math.max(
    sum(false).reduce((a, b) => a + b, 0),
    ...sum(true),
  );
}

function ports({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  return /didn't have free ports/.test(message)
    ? leaf('C09', pod, 'schedule', `the hostPort of ${nodeText(pod)} is in use on every node it can use`, {
        ...details,
        field: 'spec.template.spec.containers[].ports[].hostPort',
        fix: change(pod, graph, 'remove hostPort, or use another'),
      })
    : undefined;
}

/** `were unschedulable` means cordoned: the nodes are named by their own field. */
function cordoned({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  if (!/were unschedulable|node\.kubernetes\.io\/unschedulable/.test(message)) return undefined;
  const nodes = nodesFor(pod, graph);
  const [node] = nodes.filter(
    (each) =>
      valueAt(each.object, 'spec', 'unschedulable') === true &&
      fits(pod, each) &&
      untolerated(pod, each).every(({ key }) => key.startsWith('node.kubernetes.io/')),
  );
  // The cordoned nodes do not match anyway: there is another reason for the others.
  if (node === undefined && nodes.length > 0 && /taint|didn't match|Insufficient/.test(message)) return undefined;
  return delegate('C09', pod, 'schedule', `the nodes for ${nodeText(pod)} are cordoned`, {
    ...details,
    target: node ?? graph.store.virtual('Nodes', 'cordoned'),
  });
}

function downNodes({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  if (!/node\.kubernetes\.io\/(not-ready|unreachable|(disk|memory|pid)-pressure|network-unavailable)/.test(message))
    return undefined;
  const [node] = graph.store
    .ofKind('', 'Node')
    .filter(
      (each) =>
        !isNodeReady(each) ||
        objectsAt(each.object, 'spec', 'taints').some((taint) =>
          textAt(taint, 'key').startsWith('node.kubernetes.io/'),
        ),
    );
  return node === undefined
    ? undefined
    : delegate('C11', pod, 'schedule', `the nodes for ${nodeText(pod)} are not ready`, {
        ...details,
        impact: 'capacity',
        target: node,
      });
}

const SPREAD_RULES = [
  [/anti-affinity/, 'podAntiAffinity'],
  [/pod affinity/, 'podAffinity'],
  [/topology spread/, 'topologySpreadConstraints'],
] as const;

function spread({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  const [, which] = SPREAD_RULES.find(([pattern]) => pattern.test(message)) ?? [];
  if (which === undefined) return undefined;
  const field =
    which === 'topologySpreadConstraints'
      ? 'spec.template.spec.topologySpreadConstraints'
      : `spec.template.spec.affinity.${which}`;
  return leaf('C09', pod, 'schedule', `no node satisfies the ${which} of ${nodeText(pod)}`, {
    ...details,
    field,
    fix: change(pod, graph, 'relax the constraint, or add nodes'),
  });
}
