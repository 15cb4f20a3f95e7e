import { type Graph, nodeText, type Node, conditionIs, conditionOf, sinceOf } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { numberAt, objectsAt, valueAt } from '../../model/json/index.js';
import type { Edit, Finding } from '../findings/index.js';
import { waitsForLater } from './argo/hooks.js';
import { isNetworkAgent } from './network-agents.js';
import { userOf } from './service-users.js';
import { act, change, delegate, fact, kubectlName, leaf, removing, templateOf } from './make-finding.js';

/** Held on purpose; where a new template waits behind it, what git says is not what runs. */
function paused(node: Node, graph: Graph): Finding {
  const isBehind =
    (numberAt(node.object, 'status', 'updatedReplicas') ?? 0) < (numberAt(node.object, 'status', 'replicas') ?? 0);
  return leaf(
    'F09',
    node,
    'ready',
    `${nodeText(node)} is paused${isBehind ? ', and its new template is not rolled out' : ''}`,
    {
      impact: isBehind ? 'drift' : 'note',
      field: 'spec.paused',
      evidence: [fact(node, 'spec.paused', true)],
      fix: change(node, graph, 'let it go on where that is meant', { risk: 'restart' }),
    },
  );
}

/** A Deployment, or what is shaped like one: it lacks pods that serve. */
export function deploymentRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
  if (wanted === 0) return stopped(node, graph);
  if (valueAt(object, 'spec', 'paused') === true) return [paused(node, graph)];
  const available = numberAt(object, 'status', 'availableReplicas') ?? 0;
  const updated = numberAt(object, 'status', 'updatedReplicas') ?? 0;
  const unseen = isUnseen(node, graph);
  if (unseen !== undefined) return [unseen];
  const progress = conditionOf(object, 'Progressing');
  const isLate =
    textAt(progress, 'reason') === 'ProgressDeadlineExceeded' || conditionIs(object, 'ReplicaFailure', 'True');
  if (available >= wanted && updated >= wanted && !isLate) return [];
  const onset = sinceOf(conditionIs(object, 'Available', 'False') ? conditionOf(object, 'Available') : progress);
  return [
    delegate(
      available > 0 ? 'F08' : 'F07',
      node,
      'ready',
      `${nodeText(node)} has ${available} of ${wanted} pods${isLate ? ' and is past its deadline' : ''}`,
      {
        evidence: [
          fact(node, 'status.availableReplicas', available),
          fact(node, 'status.conditions[Progressing].reason', textAt(progress, 'reason')),
        ],
        ...(onset === undefined ? {} : { onset }),
        ...(isLate || available === 0
          ? {}
          : { level: isYoungRollout(node, graph) ? ('waiting' as const) : ('fault' as const) }),
      },
    ),
  ];
}

/** Nobody asked for pods: intended, until something leans on it. */
function stopped(node: Node, graph: Graph): Finding[] {
  const user = isScaledByNeed(node, graph) ? undefined : userOf(node, graph);
  return [
    leaf(
      'F09',
      node,
      'ready',
      `${nodeText(node)} is scaled to zero${user === undefined ? '' : `, and ${nodeText(user.node)} asks for it`}`,
      {
        impact: user === undefined ? 'note' : 'capacity',
        level: 'fault',
        field: 'spec.replicas',
        evidence: [
          fact(node, 'spec.replicas', 0),
          ...(user === undefined ? [] : [fact(user.node, user.field, user.text)]),
        ],
        fix: act('scale it up if it is needed', [`kubectl scale ${kubectlName(node)} --replicas=1`], {
          verify: `kubectl get ${kubectlName(node)}`,
        }),
      },
    ),
  ];
}

/** An autoscaler may take away what nobody asks for at the moment. */
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

/** Its controller has not looked at it: the controller manager or an operator does not work. */
function isUnseen(node: Node, graph: Graph): Finding | undefined {
  const generation = numberAt(node.object, 'metadata', 'generation') ?? 0;
  const seen = numberAt(node.object, 'status', 'observedGeneration');
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if (generation === 0 || (seen !== undefined && seen >= generation) || !(age > 120_000)) return undefined;
  if (seen === undefined && graph.store.children(node).length > 0) return undefined;
  return delegate(
    'F15',
    node,
    'reconcile',
    `nothing looks after ${nodeText(node)}: its controller saw generation ${seen ?? 'none'} of ${generation}`,
    {
      evidence: [fact(node, 'status.observedGeneration', seen ?? null), fact(node, 'metadata.generation', generation)],
      target: graph.store.virtual('Component', 'kube-controller-manager'),
      impact: 'infrastructure',
    },
  );
}

function isYoungRollout(node: Node, graph: Graph): boolean {
  const updated = Date.parse(
    textAt(conditionOf(node.object, 'Progressing'), 'lastUpdateTime') ||
      textAt(conditionOf(node.object, 'Progressing'), 'lastTransitionTime'),
  );
  return graph.time - updated < (numberAt(node.object, 'spec', 'progressDeadlineSeconds') ?? 600) * 1000;
}

/** A ReplicaSet of an older rollout has nothing to say. */
export function replicaSetRules(node: Node, graph: Graph): readonly Finding[] {
  const wanted = numberAt(node.object, 'spec', 'replicas') ?? 1;
  const ready = numberAt(node.object, 'status', 'readyReplicas') ?? 0;
  if (wanted === 0) return [];
  const refused = admissionRejection(node, graph);
  if (refused !== undefined) return [refused];
  return ready >= wanted
    ? []
    : [
        delegate('F07', node, 'ready', `${nodeText(node)} has ${ready} of ${wanted} pods ready`, {
          evidence: [fact(node, 'status.readyReplicas', ready)],
        }),
      ];
}

export function statefulSetRules(node: Node, graph: Graph): readonly Finding[] {
  const wanted = numberAt(node.object, 'spec', 'replicas') ?? 1;
  const ready = numberAt(node.object, 'status', 'readyReplicas') ?? 0;
  if (wanted === 0) return stopped(node, graph);
  const refused = admissionRejection(node, graph);
  if (refused !== undefined) return [refused];
  if (ready >= wanted) return [];
  return [
    isUnseen(node, graph) ??
      delegate('F07', node, 'ready', `${nodeText(node)} has ${ready} of ${wanted} pods ready`, {
        evidence: [fact(node, 'status.readyReplicas', ready)],
      }),
  ];
}

export function daemonSetRules(node: Node, graph: Graph): readonly Finding[] {
  const wanted = numberAt(node.object, 'status', 'desiredNumberScheduled') ?? 0;
  const ready = numberAt(node.object, 'status', 'numberReady') ?? 0;
  const refused = admissionRejection(node, graph);
  if (refused !== undefined) return [refused];
  if (wanted === 0 && isNetworkAgent(node) && graph.store.ofKind('', 'Node').length > 0)
    return [
      leaf('F07', node, 'ready', `${nodeText(node)} runs on no node, and pods reach no Service without it`, {
        impact: 'infrastructure',
        field: 'spec.template.spec.nodeSelector',
        evidence: [
          fact(node, 'status.desiredNumberScheduled', wanted),
          fact(
            node,
            'spec.template.spec.nodeSelector',
            valueAt(node.object, 'spec', 'template', 'spec', 'nodeSelector'),
          ),
        ],
        fix: change(node, graph, 'let it run on every node again'),
      }),
    ];
  return ready >= wanted
    ? []
    : [
        delegate('F07', node, 'ready', `${nodeText(node)} serves ${ready} of ${wanted} nodes`, {
          evidence: [fact(node, 'status.numberReady', ready)],
        }),
      ];
}

export function jobRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  if (valueAt(object, 'spec', 'suspend') === true)
    return [
      leaf('F09', node, 'ready', `${nodeText(node)} is suspended`, {
        impact: 'note',
        level: 'waiting',
        field: 'spec.suspend',
      }),
    ];
  if (conditionIs(object, 'Complete', 'True') || conditionIs(object, 'SuccessCriteriaMet', 'True')) return [];
  const deadlock = waitsForLater(node, graph);
  if (deadlock !== undefined) return [deadlock];
  const failed = conditionOf(object, 'Failed');
  if (textAt(failed, 'status') === 'True') {
    const onset = sinceOf(failed);
    return [
      delegate('A27', node, 'ready', `${nodeText(node)} has failed: ${textAt(failed, 'reason')}`, {
        evidence: [fact(node, 'status.conditions[Failed]', `${textAt(failed, 'reason')} ${textAt(failed, 'message')}`)],
        ...(onset === undefined ? {} : { onset }),
        field: textAt(failed, 'reason') === 'DeadlineExceeded' ? 'spec.activeDeadlineSeconds' : 'spec.template',
        fix: change(node, graph, 'correct the job, delete the failed one, sync again', { risk: 'delete-recreate' }),
      }),
    ];
  }
  const refused = admissionRejection(node, graph);
  if (refused !== undefined) return [refused];
  const isBad = graph.store
    .children(node)
    .some(
      (pod) =>
        textAt(pod.object, 'status', 'phase') !== 'Running' && textAt(pod.object, 'status', 'phase') !== 'Succeeded',
    );
  return isBad
    ? [
        delegate('A27', node, 'ready', `${nodeText(node)} does not get on`, {
          evidence: [fact(node, 'status.active', numberAt(object, 'status', 'active') ?? 0)],
        }),
      ]
    : [];
}

export function cronJobRules(node: Node, graph: Graph): readonly Finding[] {
  if (valueAt(node.object, 'spec', 'suspend') === true)
    return [
      leaf('F09', node, 'ready', `${nodeText(node)} is suspended`, {
        impact: 'note',
        level: 'waiting',
        field: 'spec.suspend',
      }),
    ];
  const jobs = [...graph.store.children(node)].sort((a, b) =>
    textAt(b.object, 'metadata', 'creationTimestamp').localeCompare(textAt(a.object, 'metadata', 'creationTimestamp')),
  );
  const [latest] = jobs;
  const skipped = graph.events(node).find(({ reason }) => reason === 'JobAlreadyActive');
  const running =
    skipped === undefined ? undefined : jobs.find((job) => (numberAt(job.object, 'status', 'active') ?? 0) > 0);
  if (skipped !== undefined && running !== undefined)
    return [
      leaf(
        'F08',
        running,
        'run',
        `${nodeText(running)} does not come to its end, and ${nodeText(node)} starts no other before it does`,
        {
          blamed: node,
          field: 'spec.jobTemplate.spec.activeDeadlineSeconds',
          evidence: [
            fact(node, 'event JobAlreadyActive', skipped.message),
            fact(running, 'status.startTime', textAt(running.object, 'status', 'startTime')),
          ],
          fix: change(node, graph, 'see why it hangs; a deadline ends a run that does'),
        },
      ),
    ];
  return latest !== undefined && conditionIs(latest.object, 'Failed', 'True')
    ? [
        delegate('A27', node, 'ready', `the last run of ${nodeText(node)} failed`, {
          target: latest,
          evidence: [fact(latest, 'status.conditions[Failed]', 'True')],
        }),
      ]
    : [];
}

const ACCOUNT = /serviceaccount "?([^"\s]+)"? not found/;

/** The API server does not take the pods. */
export function admissionRejection(node: Node, graph: Graph): Finding | undefined {
  const condition = conditionOf(node.object, 'ReplicaFailure');
  const event = graph.events(node).find(({ reason }) => reason === 'FailedCreate');
  const isStale =
    event?.time !== undefined &&
    graph.store
      .children(node)
      .some((pod) => Date.parse(textAt(pod.object, 'metadata', 'creationTimestamp')) > (event.time ?? 0));
  const message =
    textAt(condition, 'status') === 'True' ? textAt(condition, 'message') : isStale ? '' : (event?.message ?? '');
  if (message === '') return undefined;
  const evidence = [
    fact(node, condition === undefined ? 'event FailedCreate' : 'status.conditions[ReplicaFailure].message', message),
  ];
  const top = graph.top(node);
  const quota = /exceeded quota: ([^,\s]+)/.exec(message)?.[1];
  if (quota !== undefined) {
    const blamed = graph.store.refer({ group: '', kind: 'ResourceQuota', namespace: node.key.namespace, name: quota });
    return leaf('C13', node, 'create', `the ResourceQuota ${quota} has no room for pods of ${nodeText(top)}`, {
      evidence,
      blamed,
      field: 'spec.hard',
      signature: `quota ${blamed.id}`,
      fix: change(blamed, graph, 'raise the quota, or ask for less', { risk: 'none' }),
    });
  }
  if (/must specify (?:limits|requests)|failed quota/.test(message))
    return leaf('C13', node, 'create', `a quota wants requests and limits that ${nodeText(top)} does not have`, {
      evidence,
      field: 'spec.template.spec.containers[].resources',
      fix: change(top, graph, 'set requests and limits'),
    });
  if (/(?:maximum|minimum) (?:cpu|memory|storage|.*) usage per|LimitRange/.test(message))
    return leaf('C13', node, 'create', `${nodeText(top)} is outside of the LimitRange of its namespace`, {
      evidence,
      field: 'spec.template.spec.containers[].resources',
      fix: change(top, graph, 'ask for what the LimitRange allows'),
    });
  if (/violates PodSecurity/.test(message))
    return leaf(
      'C14',
      node,
      'create',
      `the pod security level of namespace ${node.key.namespace} forbids the pods of ${nodeText(top)}`,
      {
        evidence,
        field: 'spec.template.spec.securityContext',
        fix: change(top, graph, 'set the securityContext that the level asks for'),
      },
    );
  if (/security context constraint/.test(message))
    return leaf('C14', node, 'create', `no security context constraint allows the pods of ${nodeText(top)}`, {
      evidence,
      field: 'spec.template.spec.securityContext',
      fix: change(top, graph, 'drop what is forbidden, or give its service account a constraint that allows it'),
    });
  const account = ACCOUNT.exec(message)?.[1]?.replace(/^.*\//, '');
  if (account !== undefined)
    return delegate(
      'C15',
      node,
      'create',
      `${nodeText(top)} runs as service account ${account}, which does not exist`,
      {
        evidence,
        target: graph.store.missing({
          group: '',
          kind: 'ServiceAccount',
          namespace: node.key.namespace,
          name: account,
        }),
      },
    );
  const priority = /no PriorityClass with name (\S+) was found/.exec(message)?.[1];
  if (priority !== undefined)
    return delegate(
      'C15',
      node,
      'create',
      `${nodeText(top)} asks for the priority class ${priority}, which does not exist`,
      {
        evidence,
        target: graph.store.missing({
          group: 'scheduling.k8s.io',
          kind: 'PriorityClass',
          namespace: '',
          name: priority,
        }),
      },
    );
  return (
    webhookFault(node, graph, message, evidence) ??
    leaf('C14', node, 'create', `the API server does not take the pods of ${nodeText(top)}: ${message}`, {
      evidence,
      field: 'spec.template.spec',
      fix: change(top, graph, 'correct what the message names'),
    })
  );
}

/** A webhook that denies, or that does not answer. */
export function webhookFault(
  node: Node,
  graph: Graph,
  message: string,
  evidence: Finding['evidence'],
): Finding | undefined {
  const [, webhook, why = ''] =
    /admission webhook "([^"]+)" denied the request:?(.*)/.exec(message.replace(/\s+/g, ' ')) ?? [];
  if (webhook !== undefined) {
    return leaf('A15', node, 'admit', `the admission webhook ${webhook} refuses ${nodeText(node)}:${why}`, {
      evidence,
      field: templateOf(node) === '' ? 'spec' : templateOf(node),
      signature: `webhook ${webhook} ${why.replace(/"[^"]*"/g, '""')}`,
      commonTitle: `the admission webhook ${webhook} refuses objects:${why}`,
      fix: change(node, graph, 'correct the object as the webhook asks', { edits: refusedNamespace(node, why) }),
    });
  }
  const failed = /failed calling webhook "([^"]+)"/.exec(message)?.[1];
  if (failed === undefined) return undefined;
  const configuration = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    .flatMap((kind) => graph.store.ofKind('admissionregistration.k8s.io', kind))
    .find(({ object }) => objectsAt(object, 'webhooks').some((webhook) => textAt(webhook, 'name') === failed));
  // The API server looked for the Service, so it is known to be absent even where Services were not collected.
  const [, service = '', namespace = ''] = /https?:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc/.exec(message) ?? [];
  const absent =
    /service "[^"]+" not found/.test(message) && service !== ''
      ? graph.store.missing({ group: '', kind: 'Service', namespace, name: service })
      : undefined;
  return delegate(
    'A16',
    node,
    'admit',
    `the admission webhook ${failed} does not answer, so ${nodeText(node)} is not taken`,
    { evidence, target: absent ?? configuration ?? graph.store.virtual('Webhook', failed), impact: 'infrastructure' },
  );
}

/** A store of a namespace may name accounts of its own namespace only; the field is then better left out. */
function refusedNamespace(node: Node, message: string): Edit[] {
  return /namespace (?:not allowed|should either be empty|must (?:not be set|be empty))|serviceAccountRef\.namespace/.test(
    message,
  )
    ? [removing(node, ['**', 'serviceAccountRef', 'namespace'])]
    : [];
}

export function autoscalerRules(node: Node, graph: Graph): readonly Finding[] {
  const able = conditionOf(node.object, 'AbleToScale');
  const active = conditionOf(node.object, 'ScalingActive');
  const bad =
    textAt(able, 'status') === 'False'
      ? able
      : textAt(active, 'status') === 'False' && textAt(active, 'reason') !== 'ScalingDisabled'
        ? active
        : undefined;
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  const message = textAt(bad, 'message');
  if (/missing request for (\w+)/.test(message)) {
    const target = graph.edges(node)[0]?.to ?? node;
    return [
      leaf(
        'F11',
        node,
        'reconcile',
        `${nodeText(node)} cannot count: ${nodeText(target)} asks for no ${/missing request for (\w+)/.exec(message)?.[1] ?? 'cpu'}`,
        {
          evidence,
          blamed: target,
          field: 'spec.template.spec.containers[].resources.requests',
          fix: change(target, graph, 'set requests'),
        },
      ),
    ];
  }
  return [
    delegate('F11', node, 'reconcile', `${nodeText(node)} does not scale: ${message}`, {
      evidence,
      field: 'spec.scaleTargetRef',
      impact: textAt(bad, 'reason') === 'FailedGetScale' ? 'capacity' : 'drift',
    }),
  ];
}
