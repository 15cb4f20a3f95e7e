import { clone, own, put } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  wide,
  count,
  ensure,
  fill,
  has,
  inOrder,
  maybe,
  sub,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import { labelsText, selects } from '../validation/label-selectors.js';
import { podSpecDefaults } from '../pod/defaults.js';
import { checkPodTemplate } from '../pod/spec.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  checkRestartAlways,
  checkSelectorAndTemplate,
  checkSelectorUnchanged,
  checkStatusCounts,
  CONTAINERS,
  IMAGES,
  SELECTOR,
} from './workload.js';

const COUNTS = [
  column('Desired', (object) => count(maybe(object, 'spec'), 'replicas'), 'integer'),
  column('Current', (object) => count(maybe(object, 'status'), 'replicas'), 'integer'),
  column('Ready', (object) => count(maybe(object, 'status'), 'readyReplicas'), 'integer'),
];

function checkStatus(to: FieldErrors, object: KubeObject): void {
  const status = sub(object, 'status');
  checkStatusCounts(
    to,
    status,
    ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    { fullyLabeledReplicas: 'replicas', readyReplicas: 'replicas', availableReplicas: 'replicas' },
  );
  checkStatusCounts(to, status, [], { availableReplicas: 'readyReplicas' });
}

function clearCounts(object: KubeObject): void {
  object.status = { replicas: 0 };
}

export const REPLICA_SET = kind({
  columns: [NAME, ...COUNTS, AGE, CONTAINERS, IMAGES, SELECTOR],
  fields: { 'status.replicas': '0' },
  strategy: {
    ...WITH_STATUS,
    prepareCreate: clearCounts,
    defaults(object) {
      const spec = ensure(object, 'spec');
      fill(spec, { replicas: 1 });
      podSpecDefaults(ensure(ensure(spec, 'template'), 'spec'));
    },
    validate: (object) => collectFieldErrors((to) => checkReplicaSet(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkReplicaSet(to, next);
        checkSelectorUnchanged(to, next, previous);
      }),
    validateStatusUpdate: (next) => collectFieldErrors((to) => checkStatus(to, next)),
  },
});

function checkReplicaSet(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  to.nonNegative(spec, 'spec', 'replicas', 'minReadySeconds');
  checkSelectorAndTemplate(to, spec, {
    kind: 'deployment',
    owner: 'ReplicaSet',
    badSelector: 'invalid label selector',
  });
}

export const REPLICATION_CONTROLLER = kind({
  columns: [
    NAME,
    ...COUNTS,
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', (object) => labelsText(maybe(object, 'spec'), 'selector')),
  ],
  fields: { 'status.replicas': '0' },
  strategy: {
    ...WITH_STATUS,
    prepareCreate: clearCounts,
    defaults: controllerDefaults,
    validate: (object) => collectFieldErrors((to) => checkController(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkController(to, next)),
    validateStatusUpdate: (next) => collectFieldErrors((to) => checkStatus(to, next)),
  },
});

/** A controller without selector or labels takes those of its template. */
function controllerDefaults(object: KubeObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { replicas: 1 });
  const template = maybe(spec, 'template');
  if (template === undefined) return;
  podSpecDefaults(ensure(template, 'spec'));
  const labels = maybe(template, 'metadata.labels');
  if (labels === undefined) return;
  if (Object.keys(sub(spec, 'selector')).length === 0) put(spec, 'selector', clone(labels));
  if (Object.keys(sub(object.metadata, 'labels')).length === 0) put(object.metadata, 'labels', clone(labels));
}

function checkController(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  to.nonNegative(spec, 'spec', 'minReadySeconds');
  if (Object.keys(sub(spec, 'selector')).length === 0) to.required('spec.selector');
  if (!has(spec, 'replicas')) to.required('spec.replicas');
  to.nonNegative(spec, 'spec', 'replicas');
  const template = maybe(spec, 'template');
  if (template === undefined) return to.required('spec.template');
  const labels = sub(template, 'metadata.labels');
  if (!selects({ matchLabels: own(spec, 'selector') }, labels)) {
    to.invalid('spec.template.metadata.labels', inOrder(labels), '`selector` does not match template `labels`');
  }
  checkPodTemplate(to, template, 'spec.template');
  checkRestartAlways(to, spec, 'ReplicationController');
}
