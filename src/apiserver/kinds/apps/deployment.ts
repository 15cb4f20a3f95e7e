import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  wide,
  count,
  ensure,
  fill,
  maybe,
  number,
  sub,
  text,
  keepStatus,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import { goJson } from '../validation/go-json.js';
import { selectorText } from '../validation/label-selectors.js';
import { podSpecDefaults } from '../pod/defaults.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  checkAtMostAll,
  checkIntOrPercent,
  checkNotDecremented,
  checkSelectorAndTemplate,
  checkSelectorUnchanged,
  checkStatusCounts,
  CONTAINERS,
  IMAGES,
  intOrPercent,
} from './workload.js';

export const DEPLOYMENT = kind({
  columns: [
    NAME,
    column(
      'Ready',
      (object) => `${count(maybe(object, 'status'), 'readyReplicas')}/${count(maybe(object, 'spec'), 'replicas')}`,
    ),
    column('Up-to-date', (object) => count(maybe(object, 'status'), 'updatedReplicas')),
    column('Available', (object) => count(maybe(object, 'status'), 'availableReplicas')),
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', (object) => selectorText(maybe(object, 'spec.selector')).replace(/^<none>$/, '')),
  ],
  strategy: {
    ...WITH_STATUS,
    defaults,
    prepareUpdate(next, previous) {
      keepStatus(next, previous);
      // The only kind whose annotations count as a change of what is wanted: they reach the replica sets.
      if (!equal(own(next.metadata, 'annotations'), own(previous.metadata, 'annotations')))
        next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    },
    prepareStatusUpdate: (next, previous) => put(next.metadata, 'labels', own(previous.metadata, 'labels')),
    validate: (object) => collectFieldErrors((to) => check(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        check(to, next);
        checkSelectorUnchanged(to, next, previous);
      }),
    validateStatusUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkStatusCounts(
          to,
          sub(next, 'status'),
          [
            'observedGeneration',
            'replicas',
            'updatedReplicas',
            'readyReplicas',
            'availableReplicas',
            'unavailableReplicas',
            'collisionCount',
          ],
          { updatedReplicas: 'replicas', readyReplicas: 'replicas', availableReplicas: 'replicas' },
        );
        checkStatusCounts(to, sub(next, 'status'), [], { availableReplicas: 'readyReplicas' });
        checkNotDecremented(to, next, previous, 'collisionCount');
      }),
  },
});

function defaults(object: KubeObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = ensure(spec, 'strategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate')
    fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  podSpecDefaults(ensure(ensure(spec, 'template'), 'spec'));
}

function check(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  to.nonNegative(spec, 'spec', 'replicas');
  checkSelectorAndTemplate(to, spec, {
    kind: 'deployment',
    owner: 'ReplicaSet',
    badSelector: 'invalid label selector',
  });
  checkStrategy(to, sub(spec, 'strategy'), 'spec.strategy');
  to.nonNegative(spec, 'spec', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds');
  const deadline = number(spec, 'progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= count(spec, 'minReadySeconds')) {
    to.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds');
  }
}

function checkStrategy(to: FieldErrors, strategy: JsonObject, field: string): void {
  const type = text(strategy, 'type');
  const rolling = maybe(strategy, 'rollingUpdate');
  if (type === 'Recreate') {
    if (rolling !== undefined)
      to.forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type !== 'RollingUpdate')
    to.unsupported(field, goJson(strategy, 'apps.DeploymentStrategy'), ['Recreate', 'RollingUpdate']);
  else if (rolling === undefined) to.required(`${field}.rollingUpdate`, 'this should be defaulted and never be nil');
  else {
    const unavailable = own(rolling, 'maxUnavailable');
    const surge = own(rolling, 'maxSurge');
    checkIntOrPercent(to, unavailable, `${field}.rollingUpdate.maxUnavailable`);
    checkIntOrPercent(to, surge, `${field}.rollingUpdate.maxSurge`);
    if (intOrPercent(unavailable) === 0 && intOrPercent(surge) === 0) {
      to.invalid(`${field}.rollingUpdate.maxUnavailable`, unavailable, 'may not be 0 when `maxSurge` is 0');
    }
    checkAtMostAll(to, unavailable, `${field}.rollingUpdate.maxUnavailable`);
  }
}
