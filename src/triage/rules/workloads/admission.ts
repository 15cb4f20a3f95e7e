import type { Finding } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { numberAt } from '../../../model/json/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { webhookFault } from '../admission-webhooks.js';

interface Rejection {
  readonly node: Node;
  /** The workload that people write. */
  readonly top: Node;
  readonly graph: Graph;
  readonly evidence: Finding['evidence'];
}

interface AdmissionRule {
  readonly test: RegExp;
  readonly find: (match: RegExpExecArray, rejection: Rejection) => Finding;
}

/** Why the API server rejects pods: the first row whose test matches its message. */
const ADMISSION_RULES: readonly AdmissionRule[] = [
  { test: /exceeded quota: ([^,\s]+)/, find: ([, name = ''], rejection) => quotaExceeded(name, rejection) },
  {
    test: /must specify (?:limits|requests)|failed quota/,
    find: (_match, { node, top, graph, evidence }) =>
      leaf('C13', node, 'create', `a quota requires requests and limits, which ${nodeText(top)} does not set`, {
        evidence,
        field: 'spec.template.spec.containers[].resources',
        fix: change(top, graph, 'set requests and limits'),
      }),
  },
  {
    test: /(?:maximum|minimum) (?:cpu|memory|storage|.*) usage per|LimitRange/,
    find: (_match, { node, top, graph, evidence }) =>
      leaf('C13', node, 'create', `${nodeText(top)} violates the LimitRange of its namespace`, {
        evidence,
        field: 'spec.template.spec.containers[].resources',
        fix: change(top, graph, 'set resources within the LimitRange'),
      }),
  },
  {
    test: /violates PodSecurity/,
    find: (_match, { node, top, graph, evidence }) =>
      leaf(
        'C14',
        node,
        'create',
        `pods of ${nodeText(top)} violate the PodSecurity level of namespace ${node.key.namespace}`,
        {
          evidence,
          field: 'spec.template.spec.securityContext',
          fix: change(top, graph, 'set the securityContext that the level requires'),
        },
      ),
  },
  {
    test: /security context constraint/,
    find: (_match, { node, top, graph, evidence }) =>
      leaf('C14', node, 'create', `no SecurityContextConstraints allow the pods of ${nodeText(top)}`, {
        evidence,
        field: 'spec.template.spec.securityContext',
        fix: change(
          top,
          graph,
          'remove what is forbidden, or grant its service account SecurityContextConstraints that allow it',
        ),
      }),
  },
  {
    test: /serviceaccount "?([^"\s]+)"? not found/,
    find: ([, account = ''], rejection) => accountMissing(account.replace(/^.*\//, ''), rejection),
  },
  {
    test: /no PriorityClass with name (\S+) was found/,
    find: ([, priority = ''], rejection) => priorityMissing(priority, rejection),
  },
];

/** The API server does not take the pods. What was refused once and is there by now was not refused for good. */
export function admissionRejection(node: Node, graph: Graph): Finding | undefined {
  if (hasAllPods(node)) return undefined;
  const condition = conditionOf(node.object, 'ReplicaFailure');
  // A text shows no messages of conditions.
  const told = textAt(condition, 'status') === 'True' ? textAt(condition, 'message') : '';
  const message = told || eventMessage(node, graph);
  if (message === '') return undefined;
  const evidence = [
    fact(node, told === '' ? 'event FailedCreate' : 'status.conditions[ReplicaFailure].message', message),
  ];
  const top = graph.top(node);
  for (const { test, find } of ADMISSION_RULES) {
    const match = test.exec(message);
    if (match !== null) return find(match, { node, top, graph, evidence });
  }
  return (
    webhookFault(node, graph, message, evidence) ??
    leaf('C14', node, 'create', `the API server rejects the pods of ${nodeText(top)}: ${message}`, {
      evidence,
      field: 'spec.template.spec',
      fix: change(top, graph, 'resolve the error in the message'),
    })
  );
}

/** The controller counts as many pods as it wants: whatever events say of earlier attempts. */
function hasAllPods({ key, object }: Node): boolean {
  const [made, wanted] =
    key.kind === 'DaemonSet'
      ? [numberAt(object, 'status', 'currentNumberScheduled'), numberAt(object, 'status', 'desiredNumberScheduled')]
      : [numberAt(object, 'status', 'replicas'), numberAt(object, 'spec', 'replicas') ?? 1];
  return made !== undefined && made > 0 && made >= (wanted ?? Infinity);
}

/** Why pods could not be created, unless one was created since. */
function eventMessage(node: Node, graph: Graph): string {
  const event = graph.events(node).find(({ reason }) => reason === 'FailedCreate');
  const time = event?.time;
  const isStale =
    time !== undefined &&
    graph.store.children(node).some((pod) => Date.parse(textAt(pod.object, 'metadata', 'creationTimestamp')) > time);
  return isStale ? '' : (event?.message ?? '');
}

function quotaExceeded(quota: string, { node, top, graph, evidence }: Rejection): Finding {
  const blamed = graph.store.refer({ group: '', kind: 'ResourceQuota', namespace: node.key.namespace, name: quota });
  return leaf('C13', node, 'create', `pods of ${nodeText(top)} exceed ResourceQuota ${quota}`, {
    evidence,
    blamed,
    field: 'spec.hard',
    signature: `quota ${blamed.id}`,
    fix: change(blamed, graph, 'raise the quota, or request less', { risk: 'none' }),
  });
}

function accountMissing(name: string, { node, top, graph, evidence }: Rejection): Finding {
  const target = graph.store.missing({ group: '', kind: 'ServiceAccount', namespace: node.key.namespace, name });
  if (target.object !== undefined) return createdSince(target, node, evidence);
  return delegate('C15', node, 'create', `${nodeText(top)} uses service account ${name}, which does not exist`, {
    evidence,
    target,
  });
}

function priorityMissing(name: string, { node, top, graph, evidence }: Rejection): Finding {
  const target = graph.store.missing({ group: 'scheduling.k8s.io', kind: 'PriorityClass', namespace: '', name });
  if (target.object !== undefined) return createdSince(target, node, evidence);
  return delegate('C15', node, 'create', `${nodeText(top)} uses PriorityClass ${name}, which does not exist`, {
    evidence,
    target,
  });
}

/** What was missing is there by now: the controller tries again by itself. */
function createdSince(target: Node, node: Node, evidence: Finding['evidence']): Finding {
  return leaf(
    'C15',
    node,
    'create',
    `${nodeText(node)} was created before ${nodeText(target)}; its controller retries`,
    {
      evidence: [
        ...evidence,
        fact(target, 'metadata.creationTimestamp', textAt(target.object, 'metadata', 'creationTimestamp')),
      ],
      level: 'waiting',
      impact: 'note',
    },
  );
}
