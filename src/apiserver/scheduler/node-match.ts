import { own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { has, items, maybe, pairs, text, texts } from '../resources/index.js';

/** Whether a node has the labels and fields that a pod requires: nodeSelector and required node affinity. */
export function matchesNodeRules(pod: KubeObject, node: KubeObject): boolean {
  const spec = maybe(pod, 'spec');
  const labels = node.metadata.labels ?? {};
  if (!pairs(spec, 'nodeSelector').every(([key, value]) => own(labels, key) === value)) return false;
  const required = maybe(spec, 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution');
  return required === undefined || matchesTerms(items(required, 'nodeSelectorTerms'), node);
}

/** One of the terms must match; an empty term matches nothing. */
export function matchesTerms(terms: readonly JsonObject[], node: KubeObject): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: JsonObject, node: KubeObject): boolean {
  const [expressions, fields] = [items(term, 'matchExpressions'), items(term, 'matchFields')];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((rule) => meets(rule, own(labels, text(rule, 'key')))) &&
    fields.every((rule) => meets(rule, text(rule, 'key') === 'metadata.name' ? node.metadata.name : undefined))
  );
}

function meets(rule: JsonObject, value: unknown): boolean {
  const values = texts(rule, 'values');
  const present = typeof value === 'string';
  switch (text(rule, 'operator')) {
    case 'In':
      return present && values.includes(value);
    case 'NotIn':
      return !present || !values.includes(value);
    case 'Exists':
      return present;
    case 'DoesNotExist':
      return !present;
    case 'Gt':
      return present && isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0]);
    case 'Lt':
      return present && isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(value: string | undefined): boolean {
  return value !== undefined && /^[-+]?\d+$/.test(value);
}

export function toleratesTaint(tolerations: readonly JsonObject[], taint: JsonObject): boolean {
  return tolerations.some((toleration) => matchesTaint(toleration, taint));
}

export function matchesTaint(toleration: JsonObject, taint: JsonObject): boolean {
  const [effect, key] = [text(toleration, 'effect'), text(toleration, 'key')];
  if (effect !== '' && effect !== text(taint, 'effect')) return false;
  if (key !== '' && key !== text(taint, 'key')) return false;
  if (text(toleration, 'operator') === 'Exists') return true;
  return key !== '' && text(toleration, 'value') === text(taint, 'value');
}

/** Taints that keep a new pod away. */
export function repellingTaints(node: KubeObject): JsonObject[] {
  return items(maybe(node, 'spec'), 'taints').filter((taint) =>
    ['NoSchedule', 'NoExecute'].includes(text(taint, 'effect')),
  );
}

export function isUnschedulable(node: KubeObject): boolean {
  const spec = maybe(node, 'spec');
  return spec !== undefined && has(spec, 'unschedulable') && spec['unschedulable'] === true;
}
