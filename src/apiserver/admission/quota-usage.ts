import { parseQuantity, quantityOf, type KubeObject, type Quantity } from '../../model/kubernetes/index.js';
import { items, maybe, texts } from '../resources/index.js';
import { claimMeasure } from './quota-claims.js';
import { podMeasure, podQuotaNames } from './quota-pods.js';
import { serviceMeasure } from './quota-services.js';
import { NOTHING, only, sumOf, type Amounts } from './amounts.js';
import type { Measure, ScopeRequirement } from './quota-measure.js';

/** How quota counts one resource. */
export interface QuotaEvaluator {
  /** Which of the names of a quota this resource is charged to. */
  matching(names: Iterable<string>): string[];
  measure(object: KubeObject): Measure;
}

const CLASS_RESOURCE = /\.storageclass\.storage\.k8s\.io\/(requests\.storage|persistentvolumeclaims)$/;
/** Core resources that quotas also count by their bare name. */
const ALIASES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
const ONE = quantityOf(1);

function named(...known: string[]): (names: Iterable<string>) => string[] {
  return (names) => [...names].filter((name) => known.includes(name));
}

const EVALUATORS: Readonly<Record<string, QuotaEvaluator>> = {
  '/pods': { matching: podQuotaNames, measure: podMeasure },
  '/services': {
    matching: named('services', 'services.loadbalancers', 'services.nodeports', 'count/services'),
    measure: serviceMeasure,
  },
  '/persistentvolumeclaims': {
    matching: (names) =>
      [...names].filter(
        (name) =>
          ['persistentvolumeclaims', 'requests.storage', 'count/persistentvolumeclaims'].includes(name) ||
          CLASS_RESOURCE.test(name),
      ),
    measure: claimMeasure,
  },
};

const COUNTERS = new Map<string, QuotaEvaluator>();

/** Pods, services and claims have rules of their own; everything else is only counted. */
export function evaluatorOf(group: string, plural: string): QuotaEvaluator {
  const id = `${group}/${plural}`;
  const special = Object.hasOwn(EVALUATORS, id) ? EVALUATORS[id] : undefined;
  if (special) return special;
  let counter = COUNTERS.get(id);
  if (!counter) COUNTERS.set(id, (counter = counterOf(group, plural)));
  return counter;
}

function counterOf(group: string, plural: string): QuotaEvaluator {
  const names = [
    `count/${plural}${group === '' ? '' : `.${group}`}`,
    ...(group === '' && ALIASES.has(plural) ? [plural] : []),
  ];
  const measure: Measure = { usage: () => new Map(names.map((name) => [name, ONE])), matches: () => false };
  return { matching: named(...names), measure: () => measure };
}

/** The resource that a name of a quota is about; undefined where nothing is charged to it. */
export function resourceOfQuotaName(name: string): { group: string; plural: string } | undefined {
  if (name.startsWith('count/')) {
    const [plural = '', ...group] = name.slice('count/'.length).split('.');
    return { group: group.join('.'), plural };
  }
  if (ALIASES.has(name)) return { group: '', plural: name };
  const special = Object.entries(EVALUATORS).find(([, evaluator]) => evaluator.matching([name]).length > 0);
  return special && { group: '', plural: special[0].slice(1) };
}

/** What a quota's scopes ask of an object; all of them must hold. */
export function scopesOf(quota: KubeObject): ScopeRequirement[] {
  const spec = maybe(quota, 'spec');
  return [
    ...texts(spec, 'scopes').map((scope) => ({ scope, operator: 'Exists', values: [] })),
    ...items(maybe(spec, 'scopeSelector'), 'matchExpressions').map((expression) => ({
      scope: String(expression.scopeName),
      operator: String(expression.operator),
      values: texts(expression, 'values'),
    })),
  ];
}

/** Is an object within the scopes of a quota? */
export function inScope(quota: KubeObject, measure: Measure): boolean {
  return scopesOf(quota).every((scope) => measure.matches(scope));
}

/** The sum of what objects of one resource use of `names`, each name at least zero. */
export function usedOf(
  quota: KubeObject,
  measures: Iterable<Measure>,
  names: readonly string[],
  now: Date,
): Map<string, Quantity> {
  const zero: Amounts = new Map(names.map((name) => [name, parseQuantity(0)]));
  const charged: Amounts[] = [];
  for (const measure of measures) charged.push(inScope(quota, measure) ? only(measure.usage(now), names) : NOTHING);
  return sumOf([zero, ...charged]);
}
