import { isObject, type JsonObject } from '../../model/json/index.js';
import type { GroupKind } from './override-key.js';

/** Kinds that every cluster has, so that a wrong group is found without asking one. */
const BUILT_IN: Record<string, readonly string[]> = {
  '': [
    'ConfigMap',
    'Endpoints',
    'Event',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ReplicationController',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  apps: ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet', 'ControllerRevision'],
  batch: ['CronJob', 'Job'],
  autoscaling: ['HorizontalPodAutoscaler'],
  'networking.k8s.io': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  policy: ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'storage.k8s.io': ['CSIDriver', 'StorageClass', 'VolumeAttachment'],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'admissionregistration.k8s.io': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
};

/** Whether a kind is part of Kubernetes itself. */
export function isBuiltIn(group: string, kind: string): boolean {
  return Object.hasOwn(BUILT_IN, group) && BUILT_IN[group]?.includes(kind) === true;
}

/** Groups and kinds that the lint may rely on: the built-in ones, and those of the CRDs given. */
export function knownKinds(crds: readonly JsonObject[], more: readonly GroupKind[]): GroupKind[] {
  const builtIn = Object.entries(BUILT_IN).flatMap(([group, kinds]) =>
    kinds.map((kind) => ({ group, kind, isBuiltIn: true as const })),
  );
  return [...builtIn, ...crds.flatMap((crd) => kindOfCrd(crd) ?? []), ...more];
}

export function kindOfCrd(crd: JsonObject): GroupKind | undefined {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const names = isObject(spec.names) ? spec.names : {};
  if (typeof spec.group !== 'string' || typeof names.kind !== 'string') return undefined;
  return { group: spec.group, kind: names.kind, ...(typeof names.plural === 'string' ? { plural: names.plural } : {}) };
}
