import {
  MUTATING_ADMISSION_POLICY,
  MUTATING_ADMISSION_POLICY_BINDING,
  VALIDATING_ADMISSION_POLICY,
  VALIDATING_ADMISSION_POLICY_BINDING,
} from './policy/admission-policy.js';
import { CERTIFICATE_SIGNING_REQUEST } from './policy/certificate-signing-request.js';
import { CONFIG_MAP, SECRET, SERVICE_ACCOUNT } from './core/config-data.js';
import { CRON_JOB } from './batch/cron-job.js';
import { DAEMON_SET } from './apps/daemon-set.js';
import { DEPLOYMENT } from './apps/deployment.js';
import { DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, RESOURCE_SLICE } from './core/device-resources.js';
import { ENDPOINT_SLICE, ENDPOINTS } from './networking/endpoints.js';
import { CORE_EVENT, EVENT } from './core/event.js';
import { FLOW_SCHEMA, PRIORITY_LEVEL_CONFIGURATION } from './policy/flow-control.js';
import { HORIZONTAL_POD_AUTOSCALER } from './autoscaling/horizontal-pod-autoscaler.js';
import { INGRESS, INGRESS_CLASS } from './networking/ingress.js';
import { JOB } from './batch/job.js';
import type { BuiltinKind } from '../resources/index.js';
import { NAMESPACE } from './core/namespace.js';
import { NETWORK_POLICY } from './networking/network-policy.js';
import { NODE } from './core/node.js';
import { PERSISTENT_VOLUME } from './storage/persistent-volume.js';
import { PERSISTENT_VOLUME_CLAIM } from './storage/persistent-volume-claim.js';
import { POD } from './pod/pod.js';
import { POD_DISRUPTION_BUDGET } from './policy/pod-disruption-budget.js';
import { POD_TEMPLATE } from './pod/template.js';
import { LIMIT_RANGE, RESOURCE_QUOTA } from './policy/quota.js';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from './policy/rbac.js';
import { REPLICA_SET, REPLICATION_CONTROLLER } from './apps/replica-set.js';
import { SERVICE } from './networking/service.js';
import {
  API_SERVICE,
  CONTROLLER_REVISION,
  IP_ADDRESS,
  LEASE,
  PRIORITY_CLASS,
  RUNTIME_CLASS,
  SERVICE_CIDR,
} from './core/small-kinds.js';
import { STATEFUL_SET } from './apps/stateful-set.js';
import {
  CSI_DRIVER,
  CSI_NODE,
  CSI_STORAGE_CAPACITY,
  STORAGE_CLASS,
  VOLUME_ATTACHMENT,
  VOLUME_ATTRIBUTES_CLASS,
} from './storage/storage-class-and-csi.js';
import { MUTATING_WEBHOOK_CONFIGURATION, VALIDATING_WEBHOOK_CONFIGURATION } from './policy/webhooks.js';

const ADMISSION = 'admissionregistration.k8s.io';
const RBAC = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map(
  (name) => `rbac.authorization.k8s.io/${name}`,
);
const CSI = ['CSIDriver', 'CSINode', 'VolumeAttachment'].map((name) => `storage.k8s.io/${name}`);

/** Yes-or-no properties of a strategy, and the kinds that have them. */
const TRAITS: Readonly<Record<string, readonly string[]>> = {
  createOnUpdate: [
    ...RBAC,
    '/Endpoints',
    '/Event',
    '/LimitRange',
    '/Service',
    'events.k8s.io/Event',
    'coordination.k8s.io/Lease',
    'node.k8s.io/RuntimeClass',
  ],
  versionedUpdate: [
    ...CSI,
    'storage.k8s.io/CSIStorageCapacity',
    'coordination.k8s.io/Lease',
    'node.k8s.io/RuntimeClass',
    'policy/PodDisruptionBudget',
    `${ADMISSION}/MutatingWebhookConfiguration`,
    `${ADMISSION}/ValidatingWebhookConfiguration`,
    `${ADMISSION}/ValidatingAdmissionPolicy`,
    `${ADMISSION}/ValidatingAdmissionPolicyBinding`,
    `${ADMISSION}/MutatingAdmissionPolicy`,
    `${ADMISSION}/MutatingAdmissionPolicyBinding`,
  ],
  orphanByDefault: ['batch/Job', '/ReplicationController'],
  returnsDeleted: [
    '/Namespace',
    '/PersistentVolume',
    '/PersistentVolumeClaim',
    '/Pod',
    '/PodTemplate',
    '/ResourceQuota',
    '/Service',
    '/ServiceAccount',
    ...CSI,
    'storage.k8s.io/StorageClass',
    'storage.k8s.io/VolumeAttributesClass',
    'resource.k8s.io/DeviceClass',
    'resource.k8s.io/ResourceClaim',
    'resource.k8s.io/ResourceClaimTemplate',
    'resource.k8s.io/ResourceSlice',
  ],
};

function withTraits([key, built]: [string, BuiltinKind]): [string, BuiltinKind] {
  const traits = Object.keys(TRAITS).filter((trait) => TRAITS[trait]?.includes(key));
  return [
    key,
    { ...built, strategy: { ...built.strategy, ...Object.fromEntries(traits.map((trait) => [trait, true])) } },
  ];
}

/** Every built-in kind by `group/Kind`; the core group is empty: `/Pod`. */
const KINDS: [string, BuiltinKind][] = [
  ['/ConfigMap', CONFIG_MAP],
  ['/Endpoints', ENDPOINTS],
  ['/Event', CORE_EVENT],
  ['/LimitRange', LIMIT_RANGE],
  ['/Namespace', NAMESPACE],
  ['/Node', NODE],
  ['/PersistentVolume', PERSISTENT_VOLUME],
  ['/PersistentVolumeClaim', PERSISTENT_VOLUME_CLAIM],
  ['/Pod', POD],
  ['/PodTemplate', POD_TEMPLATE],
  ['/ReplicationController', REPLICATION_CONTROLLER],
  ['/ResourceQuota', RESOURCE_QUOTA],
  ['/Secret', SECRET],
  ['/Service', SERVICE],
  ['/ServiceAccount', SERVICE_ACCOUNT],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', MUTATING_ADMISSION_POLICY],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', MUTATING_ADMISSION_POLICY_BINDING],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', MUTATING_WEBHOOK_CONFIGURATION],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', VALIDATING_ADMISSION_POLICY],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', VALIDATING_ADMISSION_POLICY_BINDING],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', VALIDATING_WEBHOOK_CONFIGURATION],
  ['apiregistration.k8s.io/APIService', API_SERVICE],
  ['apps/ControllerRevision', CONTROLLER_REVISION],
  ['apps/DaemonSet', DAEMON_SET],
  ['apps/Deployment', DEPLOYMENT],
  ['apps/ReplicaSet', REPLICA_SET],
  ['apps/StatefulSet', STATEFUL_SET],
  ['autoscaling/HorizontalPodAutoscaler', HORIZONTAL_POD_AUTOSCALER],
  ['batch/CronJob', CRON_JOB],
  ['batch/Job', JOB],
  ['certificates.k8s.io/CertificateSigningRequest', CERTIFICATE_SIGNING_REQUEST],
  ['coordination.k8s.io/Lease', LEASE],
  ['discovery.k8s.io/EndpointSlice', ENDPOINT_SLICE],
  ['events.k8s.io/Event', EVENT],
  ['flowcontrol.apiserver.k8s.io/FlowSchema', FLOW_SCHEMA],
  ['flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration', PRIORITY_LEVEL_CONFIGURATION],
  ['networking.k8s.io/IPAddress', IP_ADDRESS],
  ['networking.k8s.io/Ingress', INGRESS],
  ['networking.k8s.io/IngressClass', INGRESS_CLASS],
  ['networking.k8s.io/NetworkPolicy', NETWORK_POLICY],
  ['networking.k8s.io/ServiceCIDR', SERVICE_CIDR],
  ['node.k8s.io/RuntimeClass', RUNTIME_CLASS],
  ['policy/PodDisruptionBudget', POD_DISRUPTION_BUDGET],
  ['rbac.authorization.k8s.io/ClusterRole', CLUSTER_ROLE],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', CLUSTER_ROLE_BINDING],
  ['rbac.authorization.k8s.io/Role', ROLE],
  ['rbac.authorization.k8s.io/RoleBinding', ROLE_BINDING],
  ['resource.k8s.io/DeviceClass', DEVICE_CLASS],
  ['resource.k8s.io/ResourceClaim', RESOURCE_CLAIM],
  ['resource.k8s.io/ResourceClaimTemplate', RESOURCE_CLAIM_TEMPLATE],
  ['resource.k8s.io/ResourceSlice', RESOURCE_SLICE],
  ['scheduling.k8s.io/PriorityClass', PRIORITY_CLASS],
  ['storage.k8s.io/CSIDriver', CSI_DRIVER],
  ['storage.k8s.io/CSINode', CSI_NODE],
  ['storage.k8s.io/CSIStorageCapacity', CSI_STORAGE_CAPACITY],
  ['storage.k8s.io/StorageClass', STORAGE_CLASS],
  ['storage.k8s.io/VolumeAttachment', VOLUME_ATTACHMENT],
  ['storage.k8s.io/VolumeAttributesClass', VOLUME_ATTRIBUTES_CLASS],
];

export const BUILTIN_STRATEGIES: ReadonlyMap<string, BuiltinKind> = new Map(KINDS.map(withTraits));
