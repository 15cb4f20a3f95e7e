import { isArray, isObject, type Json, type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import { type Graph, nodeText, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { Edit, Finding } from '../../findings/index.js';
import {
  act,
  adding,
  change,
  delegate,
  fact,
  fieldPath,
  kubectlName,
  leaf,
  templateOf,
  shellWord,
} from '../make-finding.js';
import { podsOn } from './pods-on.js';
import type { SchedulingFailure } from './scheduling-failure.js';

interface Taint {
  readonly key: string;
  readonly value: string;
}

const SYSTEM_TAINT = /^(node-role\.kubernetes\.io\/|CriticalAddonsOnly|node\.kubernetes\.io\/)/;

/**
 * The taint that blocks a pod: of the selected nodes, otherwise the one in the message, otherwise the most common one.
 */
export function taintFault(
  { pod, graph, message, details }: SchedulingFailure,
  meant: readonly Node[],
): Finding | undefined {
  if (!/taint/.test(message)) return undefined;
  const open = meant.map((node) => ({ node, taints: untolerated(pod, node) }));
  // A selected node without such a taint rejects the pod for another reason.
  if (open.some(({ taints }) => taints.length === 0)) return undefined;
  const found = [
    ...message.matchAll(/untolerated taint(?:\(s\))? ?\{([^:}]+):? ?([^}]*)\}|had taint \{([^:}]+):? ?([^}]*)\}/g),
  ].map(([, key, value, other, otherValue]) => ({
    key: key ?? other ?? '',
    value: (value ?? otherValue ?? '').trim(),
  }));
  // Control plane nodes are always tainted: other reasons in the message are the real ones.
  if (
    meant.length === 0 &&
    found.length > 0 &&
    found.every(({ key }) => SYSTEM_TAINT.test(key)) &&
    /anti-affinity|pod affinity|topology spread/.test(message)
  )
    return undefined;
  const [first] = [...found.filter(({ key }) => !SYSTEM_TAINT.test(key)), ...found];
  const taint =
    open[0]?.taints[0] ?? first ?? (/untolerated taint/.test(message) ? commonTaint(pod, graph) : undefined);
  if (taint === undefined) return undefined;
  if (CONDITION_TAINT.test(taint.key)) return nodesAway(pod, graph, taint, details);
  const outdated = outdatedRevision(pod, graph, taint) ?? outdatedJob(pod, graph, taint);
  if (outdated !== undefined) return { ...outdated, ...details, evidence: [...details.evidence, ...outdated.evidence] };
  return (
    newTaint(pod, graph, taint, details, meant.length > 0 ? meant : graph.store.ofKind('', 'Node')) ??
    missingToleration(pod, graph, taint, details)
  );
}

/** Taints that follow the state of a node: to tolerate them repairs nothing. */
const CONDITION_TAINT =
  /^node\.kubernetes\.io\/(?:not-ready|unreachable|(?:disk|memory|pid)-pressure|network-unavailable|out-of-service)$/;

function nodesAway(pod: Node, graph: Graph, { key }: Taint, details: SchedulingFailure['details']): Finding {
  const state = key.replace('node.kubernetes.io/', '');
  return delegate('C11', pod, 'schedule', `the nodes for ${nodeText(pod)} are tainted: ${state}`, {
    ...details,
    impact: 'capacity',
    target: graph.store.virtual('Nodes', state),
  });
}

function missingToleration(pod: Node, graph: Graph, taint: Taint, details: SchedulingFailure['details']): Finding {
  const named = taint.key === '' ? 'the taints' : `taint ${taint.key}`;
  return leaf(
    'C01',
    pod,
    'schedule',
    `${nodeText(pod)} lacks a toleration for ${named}${taint.value === '' ? '' : `=${taint.value}`} of its nodes`,
    {
      ...details,
      field: 'spec.template.spec.tolerations',
      signature: `taint ${taint.key}`,
      commonTitle: `workloads lack a toleration for ${named} of their nodes`,
      evidence: [
        ...details.evidence,
        fact(
          graph.top(pod),
          'spec.template.spec.tolerations',
          valueAt(graph.top(pod).object, 'spec', 'template', 'spec', 'tolerations') ?? null,
        ),
      ],
      fix: change(
        pod,
        graph,
        `add a toleration for ${named} to the template, or remove empty tolerations that override an inherited one`,
        { edits: tolerating(graph.top(pod), graph, taint) },
      ),
    },
  );
}

/** Running pods that do not tolerate a taint are older than it: the taint was added later, and no template is wrong. */
function newTaint(
  pod: Node,
  graph: Graph,
  taint: Taint,
  details: SchedulingFailure['details'],
  meant: readonly Node[],
): Finding | undefined {
  const tainted = meant.filter((node) => untolerated(pod, node).some(({ key }) => key === taint.key));
  for (const node of tainted) {
    const earlier = earlierThan(taint, node, graph);
    if (earlier === undefined) continue;
    return leaf(
      'C17',
      pod,
      'schedule',
      `node ${node.key.name} was tainted ${taint.key}${taint.value === '' ? '' : `=${taint.value}`} while ` +
        'running pods that do not tolerate it',
      {
        ...details,
        blamed: node,
        field: 'spec.taints',
        signature: `new taint ${taint.key}`,
        commonTitle: `nodes were tainted ${taint.key} while running pods that do not tolerate it`,
        evidence: [
          ...details.evidence,
          fact(node, 'spec.taints', valueAt(node.object, 'spec', 'taints') ?? null),
          fact(earlier, 'spec.nodeName', node.key.name),
        ],
        fix: act(
          'remove the taint once it is no longer needed',
          [`kubectl taint nodes ${shellWord(node.key.name)} ${/^[\w./-]+$/.test(taint.key) ? taint.key : 'KEY'}-`],
          { verify: `kubectl get ${kubectlName(node)} -o yaml` },
        ),
      },
    );
  }
  return undefined;
}

/**
 * A pod that was on a node before its taint; none where most pods of the node are at home with the taint, which then
 * belongs there.
 */
function earlierThan(taint: Taint, node: Node, graph: Graph): Node | undefined {
  return graph.once(`pods earlier than the taint ${taint.key} of ${node.id}`, () => {
    const running = podsOn(graph, node.key.name).filter(
      (each) =>
        !['DaemonSet', 'Node'].includes(graph.top(each).key.kind) &&
        textAt(each.object, 'status', 'phase') === 'Running',
    );
    const strange = running.filter((each) => untolerated(each, node).some(({ key }) => key === taint.key));
    return 2 * strange.length < running.length ? undefined : strange[0];
  });
}

/** Taints of a node that keep a pod away, those that people gave it first. */
export function untolerated(pod: Node, node: Node): Taint[] {
  const tolerations = objectsAt(pod.object, 'spec', 'tolerations');
  return objectsAt(node.object, 'spec', 'taints')
    .filter((taint) => textAt(taint, 'effect') !== 'PreferNoSchedule')
    .map((taint) => ({ key: textAt(taint, 'key'), value: textAt(taint, 'value') }))
    .filter((taint) => !tolerations.some((each) => covers(each, taint)))
    .sort((a, b) => Number(SYSTEM_TAINT.test(a.key)) - Number(SYSTEM_TAINT.test(b.key)));
}

/**
 * The scheduler does not always name the taint: then it is the one that most nodes have and the pod does not tolerate.
 */
function commonTaint(pod: Node, graph: Graph): Taint {
  const counts = new Map<string, Taint & { readonly count: number }>();
  for (const node of graph.store.ofKind('', 'Node')) {
    for (const { key, value } of untolerated(pod, node)) {
      if (SYSTEM_TAINT.test(key)) continue;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { key, value, count: 1 });
      else counts.set(key, { key, value: known.value === value ? value : '', count: known.count + 1 });
    }
  }
  const [commonest] = [...counts.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
  return commonest ?? { key: '', value: '' };
}

/** Whether a toleration matches a taint; without a known value the key decides. */
function covers(toleration: JsonObject, { key, value }: Taint): boolean {
  return (
    [key, ''].includes(textAt(toleration, 'key')) &&
    (value === '' || textAt(toleration, 'operator') === 'Exists' || textAt(toleration, 'value') === value)
  );
}

/** Where operators take the tolerations of their pods from. */
const OPERATED: Readonly<Record<string, string>> = {
  'kafka.strimzi.io/KafkaNodePool': 'spec.template.pod.tolerations',
  'kafka.strimzi.io/Kafka': 'spec.kafka.template.pod.tolerations',
  'postgresql.cnpg.io/Cluster': 'spec.affinity.tolerations',
  'monitoring.coreos.com/Prometheus': 'spec.tolerations',
  'monitoring.coreos.com/Alertmanager': 'spec.tolerations',
};

/** Empty where nobody knows. */
function tolerationsOf(holder: Node): string {
  const { key, object } = holder;
  if (key.group === 'clickhouse.altinity.com' && key.kind === 'ClickHouseInstallation')
    return objectsAt(object, 'spec', 'templates', 'podTemplates').length === 1
      ? 'spec.templates.podTemplates[0].spec.tolerations'
      : '';
  const template = templateOf(holder);
  return template === '' ? (OPERATED[`${key.group}/${key.kind}`] ?? '') : `${template}.spec.tolerations`;
}

/** The template has to tolerate the taint as the nodes have it. */
function tolerating(holder: Node, graph: Graph, { key, value }: Taint): Edit[] {
  const place = tolerationsOf(holder);
  const found = graph.store
    .ofKind('', 'Node')
    .flatMap((node) => objectsAt(node.object, 'spec', 'taints'))
    .find((taint) => textAt(taint, 'key') === key && (value === '' || textAt(taint, 'value') === value));
  if (place === '' || found === undefined) return [];
  const wanted = textAt(found, 'value');
  return [
    adding(holder, place, {
      key,
      ...(wanted === '' ? { operator: 'Exists' } : { operator: 'Equal', value: wanted }),
      effect: textAt(found, 'effect') || 'NoSchedule',
    }),
  ];
}

/** The template tolerates it and the pod does not: a StatefulSet never replaces a pod that was not ready. */
function outdatedRevision(pod: Node, graph: Graph, taint: Taint): Finding | undefined {
  const set = graph.owner(pod);
  if (set?.key.kind !== 'StatefulSet') return undefined;
  const tolerates = (object: JsonObject | undefined, ...path: string[]): boolean =>
    objectsAt(object, ...path, 'tolerations').some((each) => covers(each, taint));
  const revision = textAt(pod.object, 'metadata', 'labels', 'controller-revision-hash');
  const update = textAt(set.object, 'status', 'updateRevision');
  if (
    !tolerates(set.object, 'spec', 'template', 'spec') ||
    tolerates(pod.object, 'spec') ||
    (revision !== '' && revision === update)
  )
    return undefined;
  return leaf(
    'C02',
    pod,
    'schedule',
    `${nodeText(pod)} has an outdated revision: the template of its StatefulSet changed, the pod did not`,
    {
      blamed: pod,
      field: "metadata.labels['controller-revision-hash']",
      signature: 'outdated revision',
      commonTitle: 'StatefulSet pods have outdated revisions',
      evidence: [
        fact(pod, "metadata.labels['controller-revision-hash']", revision),
        fact(set, 'status.updateRevision', update),
      ],
      fix: act(
        'delete the pod; its StatefulSet recreates it from the current template',
        [`kubectl delete ${kubectlName(pod)}`],
        { risk: 'restart', actions: [{ kind: 'delete', object: pod.key }], verify: `kubectl get ${kubectlName(pod)}` },
      ),
    },
  );
}

/** Whoever makes the Job tolerates the taint by now; the Job was made before, and its template cannot change. */
function outdatedJob(pod: Node, graph: Graph, taint: Taint): Finding | undefined {
  const [job, maker] = [graph.owner(pod), graph.top(pod)];
  if (job?.key.kind !== 'Job' || maker === job || job.object === undefined) return undefined;
  const place = tolerationsOf(maker);
  const wanted = place === '' ? undefined : valueAt(maker.object, ...fieldPath(place).map(String));
  const tolerates = (list: Json | undefined): boolean =>
    isArray(list) && list.some((each) => isObject(each) && covers(each, taint));
  if (!tolerates(wanted) || tolerates(valueAt(job.object, 'spec', 'template', 'spec', 'tolerations'))) return undefined;
  return leaf(
    'C02',
    pod,
    'schedule',
    `${nodeText(job)} is older than the tolerations of ${nodeText(maker)}, and its pod fits on no node`,
    {
      blamed: job,
      field: 'spec.template.spec.tolerations',
      signature: `outdated job ${job.id}`,
      evidence: [fact(maker, place, wanted ?? null), fact(job, 'spec.template.spec.tolerations', null)],
      fix: act(
        `delete the Job; ${nodeText(maker)} makes it again with its tolerations`,
        [`kubectl delete ${kubectlName(job)}`],
        { risk: 'restart', actions: [{ kind: 'delete', object: job.key }], verify: `kubectl get ${kubectlName(job)}` },
      ),
    },
  );
}
