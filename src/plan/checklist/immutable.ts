/** Fields that the API server lets nobody change, by group and kind. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['/spec/selector'],
  'apps/ReplicaSet': ['/spec/selector'],
  'apps/DaemonSet': ['/spec/selector'],
  'apps/StatefulSet': [
    '/spec/selector',
    '/spec/serviceName',
    '/spec/podManagementPolicy',
    '/spec/volumeClaimTemplates',
  ],
  'batch/Job': ['/spec/selector', '/spec/template', '/spec/completionMode'],
  '/PersistentVolumeClaim': [
    '/spec/volumeName',
    '/spec/storageClassName',
    '/spec/accessModes',
    '/spec/volumeMode',
    '/spec/selector',
  ],
  '/Service': ['/spec/clusterIP'],
  'rbac.authorization.k8s.io/RoleBinding': ['/roleRef'],
  'rbac.authorization.k8s.io/ClusterRoleBinding': ['/roleRef'],
  'storage.k8s.io/StorageClass': ['/provisioner', '/parameters', '/reclaimPolicy', '/volumeBindingMode'],
};

export function immutableFields(group: string, kind: string): readonly string[] {
  const name = `${group}/${kind}`;
  return Object.hasOwn(FIXED, name) ? (FIXED[name] ?? []) : [];
}
