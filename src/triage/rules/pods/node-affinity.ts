import { type JsonObject, objectAt, objectsAt, own, valueAt } from '../../../model/json/index.js';
import { labelSelectorFromMap, matchesLabels } from '../../../model/kubernetes/index.js';
import type { Edit, Finding } from '../../findings/index.js';
import { type Node, nodeText } from '../../graph/index.js';
import { textAt, wordOf } from '../../json/index.js';
import { change, fact, leaf, setting, templateOf } from '../make-finding.js';
import { nearestName } from '../nearest-name.js';
import { nodesFor } from '../nodes/control-plane.js';
import type { SchedulingFailure } from './scheduling-failure.js';

/** What the scheduler writes of nodes whose labels do not fit. */
export const SELECTS = /node affinity|node selector|node\(s\) didn't match(?! pod )/;

export function affinity({ pod, graph, message, details }: SchedulingFailure): Finding | undefined {
  if (/anti-affinity|pod affinity|topology spread/.test(message) && !/node affinity|node selector/.test(message))
    return undefined;
  if (!SELECTS.test(message)) return undefined;
  const nodes = nodesFor(pod, graph);
  const selected = nodes.filter((node) => fits(pod, node));
  // A node matches, so its taint is the reason.
  if (selected.length > 0 && /untolerated taint/.test(message)) return undefined;
  const selector = objectAt(pod.object, 'spec', 'nodeSelector');
  const text =
    selector === undefined
      ? 'its node affinity'
      : Object.keys(selector)
          .map((key) => `${key}=${wordOf(own(selector, key))}`)
          .join(',');
  return leaf('C04', pod, 'schedule', `no node has the labels that ${nodeText(pod)} requires: ${text}`, {
    ...details,
    evidence: [
      ...details.evidence,
      fact(
        pod,
        selector === undefined ? 'spec.affinity.nodeAffinity' : 'spec.nodeSelector',
        selector ?? valueAt(pod.object, 'spec', 'affinity', 'nodeAffinity') ?? null,
      ),
    ],
    field: selector === undefined ? 'spec.template.spec.affinity.nodeAffinity' : 'spec.template.spec.nodeSelector',
    signature: `labels ${text} ${selector === undefined ? graph.top(pod).id : ''}`,
    commonTitle: `no node has the labels ${text}`,
    fix: change(pod, graph, 'use labels that a node has, or label a node', {
      edits: nearestLabels(graph.top(pod), selector ?? {}, nodes),
    }),
  });
}

/** A value that is nearly one that nodes have. */
function nearestLabels(holder: Node, selector: JsonObject, nodes: readonly Node[]): Edit[] {
  const template = templateOf(holder);
  if (template === '') return [];
  return Object.keys(selector).flatMap((key) => {
    const values = [...new Set(nodes.flatMap(({ object }) => textAt(object, 'metadata', 'labels', key) || []))];
    const wanted = wordOf(own(selector, key));
    const near = values.includes(wanted) ? undefined : nearestName(wanted, values);
    return near === undefined ? [] : [setting(holder, `${template}.spec.nodeSelector['${key}']`, near)];
  });
}

/** Whether the labels of a node match nodeSelector and affinity of a pod. */
export function fits(pod: Node, node: Node): boolean {
  const selector = objectAt(pod.object, 'spec', 'nodeSelector');
  const labels = node.object?.metadata.labels ?? {};
  if (selector !== undefined && !matchesLabels(labelSelectorFromMap(plainLabels(selector)), labels)) return false;
  const terms = objectsAt(
    pod.object,
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  return (
    terms.length === 0 ||
    terms.some((term) => objectsAt(term, 'matchExpressions').every((expression) => expressionHolds(expression, labels)))
  );
}

/** The nodes that a pod selects; none if it has no selector. */
export function fittingNodes({ pod, graph }: SchedulingFailure): readonly Node[] {
  const isChoosy =
    objectAt(pod.object, 'spec', 'nodeSelector') !== undefined ||
    valueAt(pod.object, 'spec', 'affinity', 'nodeAffinity') !== undefined;
  return isChoosy ? nodesFor(pod, graph).filter((node) => fits(pod, node)) : [];
}

function plainLabels(selector: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.keys(selector).map((key) => [key, wordOf(own(selector, key))]));
}

function expressionHolds(expression: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, textAt(expression, 'key')) ? labels[textAt(expression, 'key')] : undefined;
  const values = Array.isArray(expression.values) ? expression.values : [];
  switch (textAt(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return true;
  }
}
