import { clone, isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkAddress } from '../validation/addresses.js';
import { count, ensure, fill, has, items, maybe, number, sub, text, keepStatus, kind } from '../../resources/index.js';
import { qualifiedName, subdomain } from '../validation/name-rules.js';
import { POD_COLUMNS } from './columns.js';
import { checkImageSpace } from './containers.js';
import { podDefaults } from './defaults.js';
import { qosClass } from './resources.js';
import { applyLabelKeys } from './scheduling.js';
import { checkPodAnnotations, checkPodSpec } from './spec.js';
import { checkEphemeralUpdate, checkPodUpdate, checkResize } from './update.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { podWarnings } from './warnings.js';

export { qosClass } from './resources.js';

export const POD = kind({
  columns: POD_COLUMNS,
  fields: {
    'spec.nodeName': '',
    'spec.restartPolicy': '',
    'spec.schedulerName': '',
    'spec.serviceAccountName': '',
    'spec.hostNetwork': 'false',
    'status.phase': '',
    'status.podIP': '',
    'status.nominatedNodeName': '',
  },
  strategy: {
    generation: true,
    defaults: podDefaults,
    prepareCreate(pod) {
      pod.status = { phase: 'Pending', qosClass: qosClass(sub(pod, 'spec')), ...gatedCondition(pod) };
      applyLabelKeys(pod);
    },
    prepareUpdate: keepStatus,
    validate: (pod) =>
      collectFieldErrors((to) => {
        checkPod(to, pod);
        const spec = sub(pod, 'spec');
        if (items(spec, 'ephemeralContainers').length > 0)
          to.forbidden('spec.ephemeralContainers', 'cannot be set on create');
        if (text(spec, 'nodeName') !== '' && items(spec, 'schedulingGates').length > 0) {
          to.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
        }
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkPod(to, next);
        checkPodUpdate(to, next, previous);
      }),
    prepareStatusUpdate(next, previous) {
      put(next.metadata, 'ownerReferences', own(previous.metadata, 'ownerReferences'));
      fill(ensure(next, 'status'), { qosClass: sub(previous, 'status').qosClass });
    },
    validateStatusUpdate: (next, previous) => collectFieldErrors((to) => checkPodStatus(to, next, previous)),
    validateSubresource: (subresource, next, previous) =>
      collectFieldErrors((to) => {
        checkPod(to, next);
        if (subresource === 'ephemeralcontainers') checkEphemeralUpdate(to, sub(next, 'spec'), sub(previous, 'spec'));
        if (subresource === 'resize') checkResize(to, sub(next, 'spec'), sub(previous, 'spec'));
      }),
    gracePeriod: podGracePeriod,
    warnings: (pod) => podWarnings(sub(pod, 'spec'), 'spec'),
    prepareSubresource: keepOtherFields,
    rowConditions: endedCondition,
  },
});

/** A resize changes resources only, and an ephemeral container is only added: everything else stays as it was. */
function keepOtherFields(subresource: string, next: KubeObject, previous: KubeObject): void {
  const asked = sub(next, 'spec');
  const spec = clone(sub(previous, 'spec'));
  if (subresource === 'ephemeralcontainers') put(spec, 'ephemeralContainers', own(asked, 'ephemeralContainers'));
  if (subresource === 'resize') {
    for (const list of ['containers', 'initContainers']) {
      const wanted = items(asked, list);
      for (const container of items(spec, list)) {
        const resized = wanted.find((other) => text(other, 'name') === text(container, 'name'));
        if (resized) for (const field of ['resources', 'resizePolicy']) put(container, field, own(resized, field));
      }
    }
  }
  next['spec'] = spec;
}

/** Tables mark the rows of pods that have ended. */
function endedCondition(pod: KubeObject): JsonObject[] {
  const phase = text(maybe(pod, 'status'), 'phase');
  if (phase === 'Succeeded')
    return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  return phase === 'Failed'
    ? [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]
    : [];
}

/** As asked, else as the pod says; a pod that no node runs, or that has ended, goes at once. */
function podGracePeriod(pod: KubeObject, asked: number | undefined): number {
  const ended = ['Succeeded', 'Failed'].includes(text(maybe(pod, 'status'), 'phase'));
  if (ended || text(maybe(pod, 'spec'), 'nodeName') === '') return 0;
  const period = asked ?? number(maybe(pod, 'spec'), 'terminationGracePeriodSeconds') ?? 30;
  return period < 0 ? 1 : period;
}

function checkPod(to: FieldErrors, pod: KubeObject): void {
  const spec = sub(pod, 'spec');
  checkPodAnnotations(to, pod.metadata, spec, 'metadata.annotations');
  checkPodSpec(to, spec, 'spec', { kind: 'pod', name: pod.metadata.name ?? '' });
  if (text(spec, 'serviceAccountName') === '') {
    items(spec, 'volumes').forEach((volume, index) =>
      items(maybe(volume, 'projected'), 'sources').forEach((source, at) => {
        if (has(source, 'serviceAccountToken')) {
          to.forbidden(
            `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`,
            'must not be specified when serviceAccountName is not set',
          );
        }
      }),
    );
  }
  for (const list of ['containers', 'initContainers']) {
    items(spec, list).forEach((container, index) => checkImageSpace(to, container, `spec.${list}[${index}]`));
  }
}

function gatedCondition(pod: KubeObject): JsonObject {
  if (items(maybe(pod, 'spec'), 'schedulingGates').length === 0) return {};
  return {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: pod.metadata.creationTimestamp ?? null,
      },
    ],
  };
}

function checkPodStatus(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const status = sub(next, 'status');
  items(status, 'conditions').forEach((condition, index) => {
    const type = text(condition, 'type');
    to.invalidEach(`status.conditions[${index}].Type`, type, isSystemCondition(type) ? [] : qualifiedName(type));
  });
  const nominated = text(status, 'nominatedNodeName');
  if (nominated !== '' && nominated !== text(maybe(previous, 'status'), 'nominatedNodeName')) {
    to.invalidEach('status.nominatedNodeName', nominated, subdomain(nominated));
    if (text(maybe(previous, 'spec'), 'nodeName') !== '')
      to.forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node');
  }
  const qos = text(maybe(previous, 'status'), 'qosClass');
  const newQos = text(status, 'qosClass') || qos;
  if (newQos !== qos) to.invalid('status.qosClass', newQos, IMMUTABLE);
  checkNoRevival(to, next, previous);
  items(status, 'podIPs').forEach((address, index) => checkAddress(to, `status.podIPs[${index}]`, text(address, 'ip')));
  items(status, 'hostIPs').forEach((address, index) => {
    if (index === 0 && text(address, 'ip') !== text(status, 'hostIP'))
      to.invalid('status.hostIPs[0].ip', text(address, 'ip'), 'must be equal to `hostIP`');
    checkAddress(to, `status.hostIPs[${index}]`, text(address, 'ip'));
  });
}

function isSystemCondition(type: string): boolean {
  return ['PodScheduled', 'Ready', 'Initialized'].includes(type);
}

/** A container that ended for good may not come back to life. */
function checkNoRevival(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const policy = text(maybe(next, 'spec'), 'restartPolicy');
  if (policy === 'Always') return;
  items(maybe(previous, 'status'), 'containerStatuses').forEach((old, index) => {
    const terminated = maybe(old, 'state.terminated');
    if (terminated === undefined || (policy === 'OnFailure' && count(terminated, 'exitCode') !== 0)) return;
    const now = items(maybe(next, 'status'), 'containerStatuses').find(
      (status) => text(status, 'name') === text(old, 'name'),
    );
    if (now !== undefined && !isObject(maybe(now, 'state.terminated'))) {
      to.forbidden(`status.containerStatuses[${index}].state`, 'may not be transitioned to non-terminated state');
    }
  });
}
