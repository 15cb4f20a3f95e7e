import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  ensure,
  fill,
  maybe,
  sub,
  text,
  keepStatus,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import {
  checkSelector,
  isEmptySelector,
  isUsableSelector,
  labelsText,
  formatSelector,
} from '../validation/label-selectors.js';
import { podSpecDefaults } from '../pod/defaults.js';
import { checkPodTemplate } from '../pod/spec.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  checkAtMostAll,
  checkIntOrPercent,
  checkNotDecremented,
  checkRestartAlways,
  checkSelectorMatches,
  checkSelectorUnchanged,
  checkStatusCounts,
  CONTAINERS,
  IMAGES,
  intOrPercent,
  SELECTOR,
} from './workload.js';

/** Counts template changes; kept as an annotation since the field went. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const statusColumn = (name: string, key: string): ReturnType<typeof column> =>
  column(name, (object) => count(maybe(object, 'status'), key), 'integer');

export const DAEMON_SET = kind({
  columns: [
    NAME,
    statusColumn('Desired', 'desiredNumberScheduled'),
    statusColumn('Current', 'currentNumberScheduled'),
    statusColumn('Ready', 'numberReady'),
    statusColumn('Up-to-date', 'updatedNumberScheduled'),
    statusColumn('Available', 'numberAvailable'),
    column('Node Selector', (object) => labelsText(sub(object, 'spec.template.spec'), 'nodeSelector')),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  strategy: {
    ...WITH_STATUS,
    prepareCreate(object) {
      object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
      setTemplateGeneration(object, Math.max(1, templateGeneration(object)));
    },
    prepareUpdate(next, previous) {
      keepStatus(next, previous);
      const changed = !equal(own(sub(next, 'spec'), 'template'), own(sub(previous, 'spec'), 'template'));
      setTemplateGeneration(next, templateGeneration(previous) + (changed ? 1 : 0));
    },
    defaults,
    validate: (object) => collectFieldErrors((to) => check(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkSelectorUnchanged(to, next, previous);
        check(to, next);
      }),
    validateStatusUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkStatusCounts(
          to,
          sub(next, 'status'),
          [
            'currentNumberScheduled',
            'numberMisscheduled',
            'desiredNumberScheduled',
            'numberReady',
            'observedGeneration',
            'updatedNumberScheduled',
            'numberAvailable',
            'numberUnavailable',
            'collisionCount',
          ],
          {},
        );
        checkNotDecremented(to, next, previous, 'collisionCount');
      }),
  },
});

function templateGeneration(object: KubeObject): number {
  return Number(text(sub(object.metadata, 'annotations'), TEMPLATE_GENERATION)) || 0;
}

function setTemplateGeneration(object: KubeObject, generation: number): void {
  put(ensure(object.metadata, 'annotations'), TEMPLATE_GENERATION, String(generation));
}

function defaults(object: KubeObject): void {
  // Shown, and owned by whoever writes the object, before the server counts it up.
  setTemplateGeneration(object, templateGeneration(object));
  const spec = ensure(object, 'spec');
  fill(spec, { revisionHistoryLimit: 10 });
  const strategy = ensure(spec, 'updateStrategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  podSpecDefaults(ensure(ensure(spec, 'template'), 'spec'));
}

function check(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const selector = maybe(spec, 'selector');
  if (selector !== undefined) checkSelector(to, selector, 'spec.selector');
  if (selector === undefined || isUsableSelector(selector)) checkSelectorMatches(to, spec, selector);
  if (selector !== undefined && isEmptySelector(selector))
    to.invalid('spec.selector', formatSelector(selector), 'empty selector is invalid for daemonset');
  checkPodTemplate(to, sub(spec, 'template'), 'spec.template');
  checkRestartAlways(to, spec, 'DaemonSet');
  to.nonNegative(spec, 'spec', 'minReadySeconds');
  checkUpdateStrategy(to, sub(spec, 'updateStrategy'), 'spec.updateStrategy');
  to.nonNegative(spec, 'spec', 'revisionHistoryLimit');
}

function checkUpdateStrategy(to: FieldErrors, strategy: JsonObject, field: string): void {
  const type = text(strategy, 'type');
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    const rolling = maybe(strategy, 'rollingUpdate');
    const printed =
      rolling === undefined
        ? null
        : { MaxUnavailable: own(rolling, 'maxUnavailable') ?? 0, MaxSurge: own(rolling, 'maxSurge') ?? 0 };
    return to.unsupported(field, { Type: type, RollingUpdate: printed }, ['RollingUpdate', 'OnDelete']);
  }
  const rolling = maybe(strategy, 'rollingUpdate');
  if (rolling === undefined) return to.required(`${field}.rollingUpdate`);
  const [unavailable, surge] = [own(rolling, 'maxUnavailable'), own(rolling, 'maxSurge')];
  const path = `${field}.rollingUpdate`;
  checkIntOrPercent(to, unavailable, `${path}.maxUnavailable`);
  checkIntOrPercent(to, surge, `${path}.maxSurge`);
  checkAtMostAll(to, unavailable, `${path}.maxUnavailable`);
  checkAtMostAll(to, surge, `${path}.maxSurge`);
  const [hasUnavailable, hasSurge] = [intOrPercent(unavailable) !== 0, intOrPercent(surge) !== 0];
  if (hasUnavailable && hasSurge)
    to.invalid(`${path}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero');
  else if (!hasUnavailable && !hasSurge) to.required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}
