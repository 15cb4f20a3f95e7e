import { matchesLabels, own, labelSelectorFromMap, type JsonObject } from '../../../model/index.js';
import { amountOf } from '../../amount.js';
import type { Graph } from '../../graph/graph.js';
import { nodeText, type Node } from '../../graph/node.js';
import { at, objectAt, objectsAt, textAt } from '../../json-at.js';
import { conditionOf, isNodeReady, sinceOf } from '../../verdict/conditions.js';
import type { Edit, Finding } from '../../verdict/finding.js';
import { nearestName } from '../nearest-name.js';
import { act, adding, change, delegate, fact, kubectlName, leaf, setting, templateOf } from '../tell.js';
import { containerFacts, eventOf } from './pod-facts.js';

/** Why no node takes a pod: what the scheduler wrote, read with the nodes beside it. */
export function unscheduled(pod: Node, graph: Graph): Finding[] {
  const condition = conditionOf(pod.object, 'PodScheduled');
  const message = textAt(condition, 'message') || (eventOf(pod, graph, /^FailedScheduling$/)?.message ?? '');
  const isPending = textAt(pod.object, 'status', 'phase') === 'Pending' && textAt(pod.object, 'spec', 'nodeName') === '';
  if (textAt(condition, 'status') === 'True' || (!isPending && textAt(condition, 'status') !== 'False')) return [];
  const onset = sinceOf(condition);
  const told = { evidence: [fact(pod, 'status.conditions[PodScheduled].message', message)], ...(onset === undefined ? {} : { onset }) };
  if (textAt(condition, 'reason') === 'SchedulingGated') {
    const gates = objectsAt(pod.object, 'spec', 'schedulingGates').map((gate) => textAt(gate, 'name')).join(', ');
    return [leaf('C10', pod, 'schedule', `${nodeText(pod)} is held back by the scheduling gate ${gates}`, { ...told, field: 'spec.template.spec.schedulingGates', fix: change(pod, graph, 'let whoever owns the gate admit the pod, or take the gate out of the template') })];
  }
  if (message === '') return nobodySchedules(pod, graph);
  for (const read of READERS) {
    const finding = read({ pod, graph, message, told });
    if (finding !== undefined) return [finding];
  }
  return [delegate('C09', pod, 'schedule', `no node takes ${nodeText(pod)}: ${message}`, told)];
}

interface Seen {
  readonly pod: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly told: { readonly evidence: Finding['evidence']; readonly onset?: number };
}

type Reader = (seen: Seen) => Finding | undefined;

/** The scheduler itself said nothing: it is another one that is asked for, or it does not work. */
function nobodySchedules(pod: Node, graph: Graph): Finding[] {
  const name = textAt(pod.object, 'spec', 'schedulerName');
  const age = graph.time - Date.parse(textAt(pod.object, 'metadata', 'creationTimestamp'));
  if (!(age > 60_000) && graph.events(pod).length > 0) return [];
  const evidence = [fact(pod, 'spec.schedulerName', name), fact(pod, 'status.conditions', 'no PodScheduled condition')];
  if (name !== '' && name !== 'default-scheduler') return [leaf('C16', pod, 'schedule', `${nodeText(pod)} asks for the scheduler ${name}, which does not answer`, { evidence, field: 'spec.schedulerName', fix: change(pod, graph, 'name a scheduler that runs') })];
  const scheduler = graph.store.ofKind('', 'Pod').find(({ object }) => textAt(object, 'metadata', 'labels', 'component') === 'kube-scheduler');
  const target = scheduler ?? graph.store.virtual('Component', 'kube-scheduler');
  return [delegate('C16', pod, 'schedule', `nothing looked for a node for ${nodeText(pod)}: the scheduler does not work`, { evidence, target, impact: 'infrastructure' })];
}

const READERS: readonly Reader[] = [
  gone, volumes, claimsUnbound, capacity, ports, cordoned, downNodes, affinity, taints, spread,
];

/** `persistentvolumeclaim "x" not found`, and kinds of the same. */
function gone({ pod, graph, message, told }: Seen): Finding | undefined {
  const name = /persistentvolumeclaim "([^"]+)" not found/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const target = graph.store.missing({ group: '', kind: 'PersistentVolumeClaim', namespace: pod.key.namespace, name });
  return delegate('D10', pod, 'schedule', `${nodeText(pod)} mounts the claim ${name}, which does not exist`, { ...told, target });
}

function volumes({ pod, graph, message, told }: Seen): Finding | undefined {
  if (/max volume count/.test(message)) {
    return leaf('C07', pod, 'schedule', `the nodes that ${nodeText(pod)} may use have no room for another volume`, {
      ...told, impact: 'infrastructure', signature: 'max volume count', commonTitle: 'the nodes have no room for another volume', field: 'CSINode.spec.drivers[].allocatable.count',
      fix: act('add a node to the pool, or move pods with volumes away', [], { where: 'outside', verify: 'kubectl get csinodes -o yaml' }),
    });
  }
  if (/volume node affinity conflict/.test(message)) {
    return leaf('C08', pod, 'schedule', `the volume of ${nodeText(pod)} is in another zone than every node it may use`, { ...told, field: 'spec.volumes', fix: change(pod, graph, 'let it run where its volume is, or move the data to a volume of the right zone', { risk: 'data' }) });
  }
  return undefined;
}

function claimsUnbound({ pod, message, told }: Seen): Finding | undefined {
  return /unbound immediate PersistentVolumeClaims|bound PersistentVolumeClaims|volume binding/.test(message) && !/Insufficient/.test(message) ? delegate('D11', pod, 'schedule', `${nodeText(pod)} waits for a volume claim that is not bound`, told) : undefined;
}

function capacity({ pod, graph, message, told }: Seen): Finding | undefined {
  const resources = [...message.matchAll(/Insufficient ([a-z0-9./-]*[a-z0-9])/g)].map(([, name]) => name ?? '');
  if (/Too many pods/.test(message)) resources.push('pods');
  const [resource] = resources;
  if (resource === undefined) return undefined;
  if (eventOf(pod, graph, /^TriggeredScaleUp$/) !== undefined) return leaf('C05', pod, 'schedule', `${nodeText(pod)} waits for a node that is being added`, { ...told, level: 'waiting', impact: 'note' });
  const asked = requested(pod, resource);
  const largest = Math.max(0, ...graph.store.ofKind('', 'Node').map((node) => amountOf(at(node.object, 'status', 'allocatable', resource))));
  const rule = resource.includes('/') ? 'C06' : 'C05';
  const evidence = [...told.evidence, fact(pod, `spec.containers[].resources.requests.${resource}`, String(asked)), { of: 'Nodes', path: `status.allocatable.${resource}`, value: `at most ${largest}` }];
  if (asked > largest && graph.store.ofKind('', 'Node').length > 0) {
    const title = largest === 0 ? `no node offers ${resource}, which ${nodeText(pod)} asks for` : `${nodeText(pod)} asks for more ${resource} than any node has`;
    return leaf(rule, pod, 'schedule', title, { ...told, evidence, field: 'spec.template.spec.containers[].resources.requests', ...(largest === 0 ? { signature: `none ${resource}`, commonTitle: `no node offers ${resource}` } : {}), fix: change(pod, graph, `ask for less ${resource}, or add a node that has it`) });
  }
  return leaf(rule, pod, 'schedule', `no node has enough ${resource} left for ${nodeText(pod)}`, {
    ...told, evidence, signature: `full ${resource}`, commonTitle: `the nodes have no ${resource} left`, field: 'spec.template.spec.containers[].resources.requests',
    fix: change(pod, graph, `add nodes, or ask for less ${resource}`),
  });
}

function requested(pod: Node, resource: string): number {
  if (resource === 'pods') return 1;
  const sum = (isInit: boolean): number[] => containerFacts(pod).filter((each) => each.isInit === isInit).map(({ spec }) => amountOf(at(spec, 'resources', 'requests', resource) ?? at(spec, 'resources', 'limits', resource)));
  return Math.max(sum(false).reduce((a, b) => a + b, 0), ...sum(true));
}

function ports({ pod, graph, message, told }: Seen): Finding | undefined {
  return /didn't have free ports/.test(message) ? leaf('C09', pod, 'schedule', `the host port that ${nodeText(pod)} wants is taken on every node it may use`, { ...told, field: 'spec.template.spec.containers[].ports[].hostPort', fix: change(pod, graph, 'drop hostPort, or choose another') }) : undefined;
}

/** `were unschedulable` means cordoned: the nodes are named by their own field. */
function cordoned({ pod, graph, message, told }: Seen): Finding | undefined {
  if (!/were unschedulable|node\.kubernetes\.io\/unschedulable/.test(message)) return undefined;
  const nodes = graph.store.ofKind('', 'Node').filter(({ object }) => at(object, 'spec', 'unschedulable') === true);
  const [node] = nodes.filter((each) => fits(pod, each)).concat(nodes);
  return delegate('C09', pod, 'schedule', `the nodes that ${nodeText(pod)} may use are cordoned`, { ...told, target: node ?? graph.store.virtual('Nodes', 'cordoned') });
}

function downNodes({ pod, graph, message, told }: Seen): Finding | undefined {
  if (!/node\.kubernetes\.io\/(not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|network-unavailable)/.test(message)) return undefined;
  const [node] = graph.store.ofKind('', 'Node').filter((each) => !isNodeReady(each) || objectsAt(each.object, 'spec', 'taints').some((taint) => textAt(taint, 'key').startsWith('node.kubernetes.io/')));
  return node === undefined ? undefined : delegate('C11', pod, 'schedule', `the nodes that ${nodeText(pod)} may use are not ready`, { ...told, target: node });
}

const SELECTS = /node affinity|node selector|node\(s\) didn't match/;

function affinity({ pod, graph, message, told }: Seen): Finding | undefined {
  if (/anti-affinity|pod affinity|topology spread/.test(message) && !/node affinity|node selector/.test(message)) return undefined;
  if (!SELECTS.test(message)) return undefined;
  const nodes = graph.store.ofKind('', 'Node');
  const selected = nodes.filter((node) => fits(pod, node));
  // Some node is meant, so its taint is what keeps the pod away.
  if (selected.length > 0 && /untolerated taint/.test(message)) return undefined;
  const selector = objectAt(pod.object, 'spec', 'nodeSelector');
  const text = selector === undefined ? 'its node affinity' : Object.keys(selector).map((key) => `${key}=${String(own(selector, key))}`).join(',');
  return leaf('C04', pod, 'schedule', `no node has the labels that ${nodeText(pod)} asks for: ${text}`, {
    ...told, evidence: [...told.evidence, fact(pod, selector === undefined ? 'spec.affinity.nodeAffinity' : 'spec.nodeSelector', selector ?? at(pod.object, 'spec', 'affinity', 'nodeAffinity') ?? null)],
    field: selector === undefined ? 'spec.template.spec.affinity.nodeAffinity' : 'spec.template.spec.nodeSelector', signature: `labels ${text} ${selector === undefined ? graph.top(pod).id : ''}`, commonTitle: `no node has the labels ${text}`,
    fix: change(pod, graph, 'ask for labels that a node has, or label a node', { edits: nearestLabels(graph.top(pod), selector ?? {}, nodes) }),
  });
}

/** A value that is nearly one that nodes have. */
function nearestLabels(holder: Node, selector: JsonObject, nodes: readonly Node[]): Edit[] {
  const template = templateOf(holder);
  if (template === '') return [];
  return Object.keys(selector).flatMap((key) => {
    const values = [...new Set(nodes.flatMap(({ object }) => textAt(object, 'metadata', 'labels', key) || []))];
    const wanted = String(own(selector, key));
    const near = values.includes(wanted) ? undefined : nearestName(wanted, values);
    return near === undefined ? [] : [setting(holder, `${template}.spec.nodeSelector['${key}']`, near)];
  });
}

/** Whether the labels of a node are those that a pod asks for. */
function fits(pod: Node, node: Node): boolean {
  const selector = objectAt(pod.object, 'spec', 'nodeSelector');
  const labels = node.object?.metadata.labels ?? {};
  if (selector !== undefined && !matchesLabels(labelSelectorFromMap(plainLabels(selector)), labels)) return false;
  const terms = objectsAt(pod.object, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  return terms.length === 0 || terms.some((term) => objectsAt(term, 'matchExpressions').every((expression) => expressionHolds(expression, labels)));
}

function plainLabels(selector: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.keys(selector).map((key) => [key, String(own(selector, key))]));
}

function expressionHolds(expression: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, textAt(expression, 'key')) ? labels[textAt(expression, 'key')] : undefined;
  const values = Array.isArray(expression.values) ? expression.values : [];
  switch (textAt(expression, 'operator')) {
    case 'In': return value !== undefined && values.includes(value);
    case 'NotIn': return value === undefined || !values.includes(value);
    case 'Exists': return value !== undefined;
    case 'DoesNotExist': return value === undefined;
    case 'Gt': return Number(value) > Number(values[0]);
    case 'Lt': return Number(value) < Number(values[0]);
    default: return true;
  }
}

interface Taint {
  readonly key: string;
  readonly value: string;
}

const SYSTEM_TAINT = /^(node-role\.kubernetes\.io\/|CriticalAddonsOnly|node\.kubernetes\.io\/)/;

function taints({ pod, graph, message, told }: Seen): Finding | undefined {
  const found = [...message.matchAll(/untolerated taint(?:\(s\))? ?\{([^:}]+):? ?([^}]*)\}|had taint \{([^:}]+):? ?([^}]*)\}/g)].map(([, key, value, other, otherValue]) => ({ key: key ?? other ?? '', value: (value ?? otherValue ?? '').trim() }));
  const [first] = [...found.filter(({ key }) => !SYSTEM_TAINT.test(key)), ...found];
  const meant = graph.store.ofKind('', 'Node').filter((node) => fits(pod, node) && objectAt(pod.object, 'spec', 'nodeSelector') !== undefined).flatMap((node) => objectsAt(node.object, 'spec', 'taints').map((taint) => ({ key: textAt(taint, 'key'), value: textAt(taint, 'value') })))[0];
  const taint = meant ?? first ?? (/untolerated taint/.test(message) ? commonTaint(pod, graph) : undefined);
  if (taint === undefined) return undefined;
  const outdated = outdatedRevision(pod, graph, taint);
  if (outdated !== undefined) return { ...outdated, ...told, evidence: [...told.evidence, ...outdated.evidence] };
  const named = taint.key === '' ? 'the taints' : `the taint ${taint.key}`;
  return leaf('C01', pod, 'schedule', `${nodeText(pod)} does not tolerate ${named}${taint.value === '' ? '' : `=${taint.value}`} of the nodes it may use`, {
    ...told, field: 'spec.template.spec.tolerations', signature: `taint ${taint.key}`, commonTitle: `workloads do not tolerate ${named} of the nodes they may use`,
    evidence: [...told.evidence, fact(graph.top(pod), 'spec.template.spec.tolerations', at(graph.top(pod).object, 'spec', 'template', 'spec', 'tolerations') ?? null)],
    fix: change(pod, graph, `add a toleration for ${named} to the template, or drop the empty tolerations that hide an inherited one`, { edits: tolerating(graph.top(pod), graph, taint) }),
  });
}

/** The scheduler does not always name the taint: then it is the one that most nodes have and the pod does not tolerate. */
function commonTaint(pod: Node, graph: Graph): Taint {
  const counts = new Map<string, Taint & { readonly count: number }>();
  for (const node of graph.store.ofKind('', 'Node')) {
    for (const taint of objectsAt(node.object, 'spec', 'taints')) {
      const [key, value] = [textAt(taint, 'key'), textAt(taint, 'value')];
      if (SYSTEM_TAINT.test(key) || textAt(taint, 'effect') === 'PreferNoSchedule' || objectsAt(pod.object, 'spec', 'tolerations').some((each) => covers(each, { key, value }))) continue;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { key, value, count: 1 });
      else counts.set(key, { key, value: known.value === value ? value : '', count: known.count + 1 });
    }
  }
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
  return most ?? { key: '', value: '' };
}

/** Whether a toleration is for a taint; one whose value nobody named is met by its key. */
function covers(toleration: JsonObject, { key, value }: Taint): boolean {
  return [key, ''].includes(textAt(toleration, 'key')) && (value === '' || textAt(toleration, 'operator') === 'Exists' || textAt(toleration, 'value') === value);
}

/** The template has to tolerate the taint as the nodes have it. */
function tolerating(holder: Node, graph: Graph, { key, value }: Taint): Edit[] {
  const template = templateOf(holder);
  const found = graph.store.ofKind('', 'Node').flatMap((node) => objectsAt(node.object, 'spec', 'taints')).find((taint) => textAt(taint, 'key') === key && (value === '' || textAt(taint, 'value') === value));
  if (template === '' || found === undefined) return [];
  const wanted = textAt(found, 'value');
  return [adding(holder, `${template}.spec.tolerations`, { key, ...(wanted === '' ? { operator: 'Exists' } : { operator: 'Equal', value: wanted }), effect: textAt(found, 'effect') || 'NoSchedule' })];
}

/** The template tolerates it and the pod does not: a StatefulSet never replaces a pod that was not ready. */
function outdatedRevision(pod: Node, graph: Graph, taint: Taint): Finding | undefined {
  const set = graph.owner(pod);
  if (set?.key.kind !== 'StatefulSet') return undefined;
  const tolerates = (object: JsonObject | undefined, ...path: string[]): boolean => objectsAt(object, ...path, 'tolerations').some((each) => covers(each, taint));
  const revision = textAt(pod.object, 'metadata', 'labels', 'controller-revision-hash');
  const update = textAt(set.object, 'status', 'updateRevision');
  if (!tolerates(set.object, 'spec', 'template', 'spec') || tolerates(pod.object, 'spec') || (revision !== '' && revision === update)) return undefined;
  return leaf('C02', pod, 'schedule', `${nodeText(pod)} is of an outdated revision: the template of its StatefulSet has changed, the pod has not`, {
    blamed: pod, field: "metadata.labels['controller-revision-hash']", signature: 'outdated revision', commonTitle: 'pods of StatefulSets are of outdated revisions',
    evidence: [fact(pod, "metadata.labels['controller-revision-hash']", revision), fact(set, 'status.updateRevision', update)],
    fix: act('delete the pod; its StatefulSet makes it again from the present template', [`kubectl delete ${kubectlName(pod)}`], { risk: 'restart', actions: [{ kind: 'delete', object: pod.key }], verify: `kubectl get ${kubectlName(pod)}` }),
  });
}

function spread({ pod, graph, message, told }: Seen): Finding | undefined {
  const which = /anti-affinity/.test(message) ? 'podAntiAffinity' : /pod affinity/.test(message) ? 'podAffinity' : /topology spread/.test(message) ? 'topologySpreadConstraints' : undefined;
  if (which === undefined) return undefined;
  const field = which === 'topologySpreadConstraints' ? 'spec.template.spec.topologySpreadConstraints' : `spec.template.spec.affinity.${which}`;
  return leaf('C09', pod, 'schedule', `${nodeText(pod)} may stand on no node because of its ${which}`, { ...told, field, fix: change(pod, graph, 'relax the constraint, or add nodes') });
}
