import type { Difference } from '../../diff/index.js';
import { isObject, own, type Json } from '../../model/json/index.js';
import { splitApiVersion, type Key, type KubeObject } from '../../model/kubernetes/index.js';

/** Why a field differs, which decides what to do about it. */
export type DriftClass =
  | 'cluster-generated'
  | 'operator-managed'
  | 'autoscaled'
  | 'immutable'
  | 'real drift'
  | 'wrong branch'
  | 'shared owner';

/** Fields that the API server does not let change, by `group/Kind`. */
const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['/spec/selector'],
  'apps/DaemonSet': ['/spec/selector'],
  'apps/ReplicaSet': ['/spec/selector'],
  'apps/StatefulSet': [
    '/spec/selector',
    '/spec/serviceName',
    '/spec/volumeClaimTemplates',
    '/spec/podManagementPolicy',
  ],
  'batch/Job': ['/spec/selector', '/spec/template', '/spec/completionMode'],
  '/PersistentVolumeClaim': ['/spec/storageClassName', '/spec/accessModes', '/spec/selector', '/spec/volumeMode'],
  '/Service': ['/spec/clusterIP', '/spec/clusterIPs'],
  '/Secret': ['/type'],
  'storage.k8s.io/StorageClass': ['/provisioner', '/parameters', '/reclaimPolicy', '/volumeBindingMode'],
  'rbac.authorization.k8s.io/RoleBinding': ['/roleRef'],
  'rbac.authorization.k8s.io/ClusterRoleBinding': ['/roleRef'],
};

/** Fields that the cluster itself fills or writes, by `group/Kind`; `*` for all. */
const GENERATED: Readonly<Record<string, readonly string[]>> = {
  '*': [
    '/status',
    '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
    '/metadata/resourceVersion',
    '/metadata/generation',
    '/metadata/managedFields',
    '/metadata/annotations/deployment.kubernetes.io~1revision',
  ],
  'route.openshift.io/Route': [
    '/spec/host',
    '/spec/tls/insecureEdgeTerminationPolicy',
    '/spec/wildcardPolicy',
    '/metadata/annotations/openshift.io~1host.generated',
  ],
  '/PersistentVolumeClaim': ['/spec/volumeName'],
  '/Service': [
    '/spec/clusterIP',
    '/spec/clusterIPs',
    '/spec/ipFamilies',
    '/spec/ipFamilyPolicy',
    '/spec/healthCheckNodePort',
  ],
  '/ServiceAccount': ['/secrets', '/imagePullSecrets'],
};

const CA_BUNDLE =
  /^\/webhooks\/\d+\/clientConfig\/caBundle$|^\/spec\/(caBundle|conversion\/webhook\/clientConfig\/caBundle)$/;
/** Programs that people use. */
const PEOPLE = /^(kubectl|oc|Mozilla|k9s|lens|headlamp|OpenShift-Console|rancher|dashboard|curl)/i;
const KUBERNETES = /kube-(apiserver|controller-manager|scheduler)|kubelet|cluster-|pv-controller/;
const OPENSHIFT = /openshift-(apiserver|router|controller)|route-controller/;
const CLUSTER = new RegExp(`^(${KUBERNETES.source}|${OPENSHIFT.source}|cainjector|cert-manager-cainjector)`);

const isBelow = (pointer: string, roots: readonly string[] | undefined): boolean =>
  roots?.some((root) => pointer === root || pointer.startsWith(`${root}/`)) === true;
const kindOf = ({ group, kind }: Key): string => `${group}/${kind}`;

export function isImmutable(key: Key, pointer: string): boolean {
  return isBelow(pointer, IMMUTABLE[kindOf(key)]);
}

export function classOf(key: Key, { pointer, owner }: Difference, autoscalers: readonly KubeObject[]): DriftClass {
  if (pointer === '/spec/replicas' && (autoscalers.some((each) => scales(each, key)) || /horizontal|keda/i.test(owner)))
    return 'autoscaled';
  if (isBelow(pointer, GENERATED['*']) || isBelow(pointer, GENERATED[kindOf(key)]) || CA_BUNDLE.test(pointer))
    return 'cluster-generated';
  if (isImmutable(key, pointer)) return 'immutable';
  if (owner === '' || PEOPLE.test(owner) || /^(argocd|argosy|helm)/.test(owner)) return 'real drift';
  return CLUSTER.test(owner) ? 'cluster-generated' : 'operator-managed';
}

function scales({ apiVersion, metadata, spec }: KubeObject, key: Key): boolean {
  const target = isObject(spec) ? own(spec, 'scaleTargetRef') : undefined;
  const text = (name: string, fallback: string): string => {
    const value: Json | undefined = isObject(target) ? own(target, name) : undefined;
    return typeof value === 'string' ? value : fallback;
  };
  // KEDA means a Deployment where nothing is said.
  const group = splitApiVersion(text('apiVersion', apiVersion.startsWith('keda') ? 'apps/v1' : '')).group;
  return (
    metadata.namespace === key.namespace &&
    text('name', '') === key.name &&
    text('kind', 'Deployment') === key.kind &&
    group === key.group
  );
}
