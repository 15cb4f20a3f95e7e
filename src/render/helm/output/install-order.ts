import { compareText } from '../../../model/go/index.js';

const ORDER: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];
const PLACES = new Map(ORDER.map((kind, place) => [kind, place]));

/** The order in which Helm installs kinds; those it does not know come last, by name. Equal kinds keep their order. */
export function byInstallOrder(a: { readonly kind: string }, b: { readonly kind: string }): number {
  const [left, right] = [PLACES.get(a.kind), PLACES.get(b.kind)];
  if (left === undefined || right === undefined) {
    if (left === right) return compareText(a.kind, b.kind);
    return left === undefined ? 1 : -1;
  }
  return left - right;
}
