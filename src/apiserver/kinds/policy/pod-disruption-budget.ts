import { own, type Json } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { AGE, column, NAME, count, has, maybe, sub, kind, WITH_STATUS } from '../../resources/index.js';
import { checkSelector } from '../validation/label-selectors.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { checkAtMostAll, checkIntOrPercent } from '../apps/workload.js';

const formatCount = (value: Json | undefined): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';

export const POD_DISRUPTION_BUDGET = kind({
  columns: [
    NAME,
    column('Min Available', (object) => formatCount(own(sub(object, 'spec'), 'minAvailable'))),
    column('Max Unavailable', (object) => formatCount(own(sub(object, 'spec'), 'maxUnavailable'))),
    column('Allowed Disruptions', (object) => count(maybe(object, 'status'), 'disruptionsAllowed'), 'integer'),
    AGE,
  ],
  strategy: {
    ...WITH_STATUS,
    prepareCreate(object) {
      object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate: (object) => collectFieldErrors((to) => check(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => check(to, next)),
    validateStatusUpdate: (next) =>
      collectFieldErrors((to) =>
        to.nonNegative(
          sub(next, 'status'),
          'status',
          'disruptionsAllowed',
          'currentHealthy',
          'desiredHealthy',
          'expectedPods',
        ),
      ),
  },
});

function check(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  if (has(spec, 'minAvailable') && has(spec, 'maxUnavailable')) {
    const value: Json = {
      MinAvailable: own(spec, 'minAvailable') ?? null,
      Selector: own(spec, 'selector') ?? null,
      MaxUnavailable: own(spec, 'maxUnavailable') ?? null,
      UnhealthyPodEvictionPolicy: own(spec, 'unhealthyPodEvictionPolicy') ?? null,
    };
    to.invalid('spec', value, 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const key of ['minAvailable', 'maxUnavailable']) {
    checkIntOrPercent(to, own(spec, key), `spec.${key}`);
    checkAtMostAll(to, own(spec, key), `spec.${key}`);
  }
  const selector = maybe(spec, 'selector');
  if (selector !== undefined) checkSelector(to, selector, 'spec.selector');
  to.oneOf(spec, 'spec', 'unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget']);
}
