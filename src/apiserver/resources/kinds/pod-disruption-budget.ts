import { own, type Json, type KubeObject } from '../../../model/index.js';
import { AGE, column, NAME } from './columns.js';
import { count, has, maybe, sub } from './fields.js';
import { kind, WITH_STATUS } from './kind.js';
import { checkSelector } from './label-selectors.js';
import { report, type Report } from './report.js';
import { checkAtMostAll, checkIntOrPercent } from './workload.js';

const shown = (value: Json | undefined): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';

export const POD_DISRUPTION_BUDGET = kind({
  columns: [
    NAME,
    column('Min Available', (object) => shown(own(sub(object, 'spec'), 'minAvailable'))),
    column('Max Unavailable', (object) => shown(own(sub(object, 'spec'), 'maxUnavailable'))),
    column('Allowed Disruptions', (object) => count(maybe(object, 'status'), 'disruptionsAllowed'), 'integer'),
    AGE,
  ],
  strategy: {
    ...WITH_STATUS,
    prepareCreate(object) {
      object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate: (object) => report((to) => check(to, object)),
    validateUpdate: (next) => report((to) => check(to, next)),
    validateStatusUpdate: (next) =>
      report((to) =>
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

function check(to: Report, object: KubeObject): void {
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
