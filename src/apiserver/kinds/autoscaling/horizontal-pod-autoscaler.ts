import { clone, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  ensure,
  fill,
  has,
  items,
  maybe,
  number,
  sub,
  text,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { checkMetrics, checkScaleReference, metricsText } from './hpa-metrics.js';
import { HPA_V1 } from './hpa-v1.js';
import { compareQuantities } from '../validation/quantities.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { quantityText } from '../validation/resource-lists.js';

const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN: JsonObject = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
const CPU_80: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

export const HORIZONTAL_POD_AUTOSCALER = kind({
  columns: [
    NAME,
    column(
      'Reference',
      (object) =>
        `${text(maybe(object, 'spec.scaleTargetRef'), 'kind')}/${text(maybe(object, 'spec.scaleTargetRef'), 'name')}`,
    ),
    column('Targets', (object) => metricsText(sub(object, 'spec'), sub(object, 'status'))),
    column('MinPods', (object) => String(number(maybe(object, 'spec'), 'minReplicas') ?? '<unset>')),
    column('MaxPods', (object) => count(maybe(object, 'spec'), 'maxReplicas')),
    column('Replicas', (object) => count(maybe(object, 'status'), 'currentReplicas')),
    AGE,
  ],
  conversion: HPA_V1,
  strategy: {
    defaults,
    prepareCreate: (object) =>
      void (object.status =
        object.apiVersion === 'autoscaling/v1'
          ? { currentReplicas: 0, desiredReplicas: 0 }
          : { currentMetrics: null, desiredReplicas: 0 }),
    prepareUpdate: keepStatus,
    validate: (object) => collectFieldErrors((to) => check(to, object, undefined)),
    validateUpdate: (next, previous) => collectFieldErrors((to) => check(to, next, previous)),
    validateStatusUpdate: (next) =>
      collectFieldErrors((to) => to.nonNegative(sub(next, 'status'), 'status', 'currentReplicas', 'desiredReplicas')),
  },
});

function defaults(object: KubeObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { minReplicas: 1 });
  if (items(spec, 'metrics').length === 0) spec.metrics = [clone(CPU_80)];
  const behavior = maybe(spec, 'behavior');
  if (behavior === undefined) return;
  behavior.scaleUp = { ...clone(SCALE_UP), ...given(sub(behavior, 'scaleUp')) };
  behavior.scaleDown = { ...clone(SCALE_DOWN), ...given(sub(behavior, 'scaleDown')) };
}

function given(rules: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined && value !== null));
}

function check(to: FieldErrors, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = sub(object, 'spec');
  const min = number(spec, 'minReplicas');
  const max = count(spec, 'maxReplicas');
  if (min !== undefined && min < 1) to.invalid('spec.minReplicas', min, 'must be greater than or equal to 1');
  if (max < 1) to.invalid('spec.maxReplicas', max, 'must be greater than 0');
  if (min !== undefined && max < min)
    to.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`');
  const target = sub(spec, 'scaleTargetRef');
  const old = maybe(previous, 'spec.scaleTargetRef');
  const unchanged =
    old !== undefined &&
    text(old, 'apiVersion') === text(target, 'apiVersion') &&
    text(old, 'kind') === text(target, 'kind');
  const group = text(target, 'kind') === 'ReplicationController' ? 'any' : 'needed';
  checkScaleReference(to, target, 'spec.scaleTargetRef', unchanged ? 'unchecked' : group);
  checkMetrics(to, spec, 'spec.metrics');
  for (const direction of ['scaleUp', 'scaleDown']) {
    const rules = maybe(spec, `behavior.${direction}`);
    if (rules !== undefined) checkRules(to, rules, `spec.behavior.${direction}`);
  }
}

function checkRules(to: FieldErrors, rules: JsonObject, field: string): void {
  const window = number(rules, 'stabilizationWindowSeconds');
  if (window !== undefined && window < 0)
    to.invalid(`${field}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero');
  if (window !== undefined && window > 3600)
    to.invalid(`${field}.stabilizationWindowSeconds`, window, 'must be less than or equal to 3600');
  to.oneOf(rules, field, 'selectPolicy', ['Disabled', 'Max', 'Min']);
  const policies = items(rules, 'policies');
  if (policies.length === 0) to.required(`${field}.policies`, 'must specify at least one Policy');
  policies.forEach((policy, index) => {
    const path = `${field}.policies[${index}]`;
    if (!['Percent', 'Pods'].includes(text(policy, 'type')))
      to.unsupported(`${path}.type`, text(policy, 'type'), ['Percent', 'Pods']);
    to.positive(policy, path, 'value');
    to.positive(policy, path, 'periodSeconds');
    if (count(policy, 'periodSeconds') > 1800)
      to.invalid(`${path}.periodSeconds`, count(policy, 'periodSeconds'), 'must be less than or equal to 1800');
  });
  const tolerance = has(rules, 'tolerance') ? (quantityText(rules, 'tolerance') ?? '0') : '0';
  if (compareQuantities(tolerance, '0') < 0)
    to.invalid(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0');
}
