/**
 * The groups and versions that Helm 4.2.1 takes for granted, in its order; they do not depend on the version of
 * Kubernetes.
 */
export const API_VERSIONS: readonly string[] = [
  'v1',
  ...versions('admissionregistration.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
  ...versions('internal.apiserver.k8s.io', 'v1alpha1'),
  ...versions('apps', 'v1', 'v1beta1', 'v1beta2'),
  ...versions('authentication.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
  ...versions('authorization.k8s.io', 'v1', 'v1beta1'),
  ...versions('autoscaling', 'v1', 'v2'),
  ...versions('batch', 'v1', 'v1beta1'),
  ...versions('certificates.k8s.io', 'v1', 'v1beta1', 'v1alpha1'),
  ...versions('coordination.k8s.io', 'v1alpha2', 'v1beta1', 'v1'),
  ...versions('discovery.k8s.io', 'v1', 'v1beta1'),
  ...versions('events.k8s.io', 'v1', 'v1beta1'),
  ...versions('extensions', 'v1beta1'),
  ...versions('flowcontrol.apiserver.k8s.io', 'v1', 'v1beta1', 'v1beta2', 'v1beta3'),
  ...versions('networking.k8s.io', 'v1', 'v1beta1'),
  ...versions('node.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
  ...versions('policy', 'v1', 'v1beta1'),
  ...versions('rbac.authorization.k8s.io', 'v1', 'v1beta1', 'v1alpha1'),
  ...versions('resource.k8s.io', 'v1', 'v1beta2', 'v1beta1', 'v1alpha3'),
  ...versions('scheduling.k8s.io', 'v1alpha2', 'v1beta1', 'v1'),
  ...versions('storage.k8s.io', 'v1beta1', 'v1', 'v1alpha1'),
  ...versions('storagemigration.k8s.io', 'v1beta1'),
  ...versions('apiextensions.k8s.io', 'v1beta1', 'v1'),
];

function versions(group: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${group}/${name}`);
}
