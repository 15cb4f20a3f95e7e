import type { AccessGate } from '../access/gate.js';
import type { RestContext } from '../rest/context.js';
import type { AdmissionStep } from './admission.js';
import { certificateGuards, certificateRequestor } from './certificate-guards.js';
import { defaultIngressClass } from './ingress-class.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { newestOf } from './newest.js';
import { taintNodesByCondition } from './node-taints.js';
import { podPriority } from './pod-priority.js';
import { podSecurity } from './pod-security/pod-security.js';
import { rbacEscalation } from './rbac-escalation.js';
import { resourceQuota } from './resource-quota.js';
import { runtimeClass } from './runtime-class.js';
import { serviceAccount } from './service-account.js';
import { serviceAddresses } from './service-addresses.js';
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from './storage.js';
import { defaultTolerationSeconds } from './tolerations.js';
import { validatingAdmissionPolicy } from './validating-policy/validating-policy.js';
import { webhookNotice } from './webhook-notice.js';

/** Every admission step, in the order in which the real server runs its plugins. */
export function admissionSteps(context: RestContext, gate: AccessGate): AdmissionStep[] {
  const newest = newestOf(context);
  return [
    namespaceLifecycle((name) => newest.get(['', 'namespaces'], '', name)),
    limitRanger(newest),
    serviceAccount(newest, () => context.newSuffix()),
    taintNodesByCondition,
    podSecurity(newest),
    podPriority(newest),
    defaultTolerationSeconds,
    defaultStorageClass(newest),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(newest),
    runtimeClass(newest),
    certificateGuards(gate),
    defaultIngressClass(newest),
    // These are part of storage in the real server.
    certificateRequestor,
    rbacEscalation(gate, newest),
    serviceAddresses(context),
    validatingAdmissionPolicy(context, newest),
    webhookNotice,
    // Last, so that only what nothing else refuses is charged.
    resourceQuota(context),
  ];
}
