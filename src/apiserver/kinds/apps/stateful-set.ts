import { clone, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkClaimSpec } from '../validation/claim-spec.js';
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
  sub,
  text,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import { goJson } from '../validation/go-json.js';
import { checkSelector, isEmptySelector, isUsableSelector, formatSelector } from '../validation/label-selectors.js';
import { dnsLabel } from '../validation/name-rules.js';
import { podSpecDefaults } from '../pod/defaults.js';
import { checkPodTemplate } from '../pod/spec.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  checkAtMostAll,
  checkIntOrPercent,
  checkNotDecremented,
  checkRestartAlways,
  checkSelectorMatches,
  checkStatusCounts,
  CONTAINERS,
  IMAGES,
  intOrPercent,
} from './workload.js';

const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

export const STATEFUL_SET = kind({
  columns: [
    NAME,
    column(
      'Ready',
      (object) => `${count(maybe(object, 'status'), 'readyReplicas')}/${count(maybe(object, 'spec'), 'replicas')}`,
    ),
    AGE,
    CONTAINERS,
    IMAGES,
  ],
  strategy: {
    ...WITH_STATUS,
    nameRule: 'label',
    prepareCreate(object) {
      object.status = { replicas: 0, availableReplicas: 0 };
    },
    defaults,
    validate: (object) => collectFieldErrors((to) => check(to, object, 'create')),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        check(to, next, 'update');
        if (!sameButChangeable(next, previous)) {
          to.forbidden(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
              "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
              "'minReadySeconds' are forbidden",
          );
        }
      }),
    validateStatusUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        const status = sub(next, 'status');
        checkStatusCounts(
          to,
          status,
          [
            'replicas',
            'readyReplicas',
            'currentReplicas',
            'updatedReplicas',
            'availableReplicas',
            'observedGeneration',
            'collisionCount',
          ],
          {
            readyReplicas: 'replicas',
            currentReplicas: 'replicas',
            updatedReplicas: 'replicas',
            availableReplicas: 'replicas',
          },
        );
        checkStatusCounts(to, status, [], { availableReplicas: 'readyReplicas' }, 'status.readyReplicas');
        checkNotDecremented(to, next, previous, 'collisionCount');
      }),
  },
});

function defaults(object: KubeObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
  const strategy = ensure(spec, 'updateStrategy');
  if (text(strategy, 'type') === '') {
    strategy.type = 'RollingUpdate';
    ensure(strategy, 'rollingUpdate');
  }
  const rolling = maybe(strategy, 'rollingUpdate');
  if (strategy.type === 'RollingUpdate' && rolling !== undefined) fill(rolling, { partition: 0 });
  fill(ensure(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
  podSpecDefaults(ensure(ensure(spec, 'template'), 'spec'));
  for (const claim of items(spec, 'volumeClaimTemplates')) {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fill(ensure(claim, 'spec'), { volumeMode: 'Filesystem' });
    fill(ensure(claim, 'status'), { phase: 'Pending' });
  }
}

function check(to: FieldErrors, object: KubeObject, on: 'create' | 'update'): void {
  const spec = sub(object, 'spec');
  const policy = text(spec, 'podManagementPolicy');
  if (policy !== 'OrderedReady' && policy !== 'Parallel')
    to.invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'");
  checkUpdateStrategy(to, sub(spec, 'updateStrategy'), 'spec.updateStrategy');
  const retention = maybe(spec, 'persistentVolumeClaimRetentionPolicy');
  for (const key of ['whenDeleted', 'whenScaled']) {
    if (retention !== undefined)
      to.oneOf(retention, 'spec.persistentVolumeClaimRetentionPolicy', key, ['Retain', 'Delete']);
  }
  if (on === 'create') {
    items(spec, 'volumeClaimTemplates').forEach((claim, index) =>
      checkClaimSpec(to, sub(claim, 'spec'), `spec.volumeClaimTemplates[${index}].spec`),
    );
  }
  to.nonNegative(spec, 'spec', 'replicas', 'minReadySeconds');
  to.nonNegative({ 'ordinals.start': own(sub(spec, 'ordinals'), 'start') }, 'spec', 'ordinals.start');
  const service = text(spec, 'serviceName');
  if (on === 'create' && service !== '') to.invalidEach('spec.serviceName', service, dnsLabel(service));
  checkTemplate(to, spec);
  checkRestartAlways(to, spec, 'StatefulSet');
}

function checkUpdateStrategy(to: FieldErrors, strategy: JsonObject, field: string): void {
  const type = text(strategy, 'type');
  const rolling = maybe(strategy, 'rollingUpdate');
  if (type === 'OnDelete') {
    if (rolling !== undefined)
      to.invalid(
        `${field}.rollingUpdate`,
        goJson(rolling, 'apps.RollingUpdateStatefulSetStrategy'),
        "only allowed for updateStrategy 'RollingUpdate'",
      );
  } else if (type !== 'RollingUpdate')
    to.invalid(field, goJson(strategy, 'apps.StatefulSetUpdateStrategy'), "must be 'RollingUpdate' or 'OnDelete'");
  else if (rolling !== undefined) {
    to.nonNegative(rolling, `${field}.rollingUpdate`, 'partition');
    const unavailable = own(rolling, 'maxUnavailable');
    if (unavailable === undefined) return;
    checkIntOrPercent(to, unavailable, `${field}.rollingUpdate.maxUnavailable`);
    if (intOrPercent(unavailable) === 0)
      to.invalid(`${field}.rollingUpdate.maxUnavailable`, unavailable, 'cannot be 0');
    checkAtMostAll(to, unavailable, `${field}.rollingUpdate.maxUnavailable`);
  }
}

function checkTemplate(to: FieldErrors, spec: JsonObject): void {
  const selector = maybe(spec, 'selector');
  if (selector === undefined) to.required('spec.selector');
  else {
    checkSelector(to, selector, 'spec.selector');
    if (isEmptySelector(selector))
      to.invalid('spec.selector', formatSelector(selector), 'empty selector is invalid for statefulset');
    if (!isUsableSelector(selector)) return to.invalid('spec.selector', formatSelector(selector));
  }
  checkSelectorMatches(to, spec, selector);
  checkPodTemplate(to, asPods(spec), 'spec.template');
}

/** The template as its pods will be: hostname and subdomain are set later, claims become volumes. */
function asPods(spec: JsonObject): JsonObject {
  const template = clone(sub(spec, 'template'));
  const pod = sub(template, 'spec');
  if (!has(template, 'spec')) return template;
  pod.subdomain = undefined;
  pod.hostname = undefined;
  const claims = [...new Set(items(spec, 'volumeClaimTemplates').map((claim) => text(sub(claim, 'metadata'), 'name')))];
  const claimed = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  pod.volumes = [...claimed, ...items(pod, 'volumes').filter((volume) => !claims.includes(text(volume, 'name')))];
  return template;
}

function sameButChangeable(next: KubeObject, previous: KubeObject): boolean {
  const [now, before] = [{ ...sub(next, 'spec') }, { ...sub(previous, 'spec') }];
  for (const key of CHANGEABLE) {
    put(now, key, undefined);
    put(before, key, undefined);
  }
  return equal(now, before);
}
