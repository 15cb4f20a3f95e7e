import type { AccessControl } from '../access/index.js';
import type { RestContext, AdmissionPlugin } from '../rest/index.js';
import { certificateGuards, certificateRequestor } from './certificate-guards.js';
import { defaultIngressClass } from './ingress-class.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { headLister } from './head-lister.js';
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
import { webhookWarning } from './webhook-warning.js';

/** Every admission step, in the order in which the real server runs its plugins. */
export function admissionPlugins(context: RestContext, gate: AccessControl): AdmissionPlugin[] {
  const newest = headLister(context);
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
    webhookWarning,
    // Last, so that only what nothing else refuses is charged.
    resourceQuota(context),
  ];
}
