import { gvkOf, type KubeObject } from '../../src/model/index.js';
import { apiVersionOf, type Cluster, type ResourceKind } from '../../src/cluster/index.js';
import type { RenderedApplication } from './render-fleet.js';

/** Applying so many at a time keeps a server busy; more only wait in the client. */
const AT_ONCE = 32;

/** Argo CD's order of kinds inside of a wave; others come last. */
const KIND_ORDER = [
  'Namespace', 'NetworkPolicy', 'ResourceQuota', 'LimitRange', 'PodDisruptionBudget', 'ServiceAccount', 'Secret', 'ConfigMap', 'StorageClass', 'PersistentVolume', 'PersistentVolumeClaim', 'CustomResourceDefinition', 'ClusterRole',
  'ClusterRoleBinding', 'Role', 'RoleBinding', 'Service', 'DaemonSet', 'Pod', 'ReplicaSet', 'Deployment', 'HorizontalPodAutoscaler', 'StatefulSet', 'Job', 'CronJob', 'IngressClass', 'Ingress', 'APIService',
];

const orderOf = ({ kind }: KubeObject): number => (KIND_ORDER.indexOf(kind) + KIND_ORDER.length + 1) % (KIND_ORDER.length + 1);

/**
 * Applies what must be there before, then all objects of the Applications in the order of their kinds, each with the tracking id of
 * its Application. Gives the objects as they were sent. An object that the server refuses ends it, by name.
 */
export async function applyFleet(cluster: Cluster, outside: readonly KubeObject[], applications: readonly RenderedApplication[]): Promise<KubeObject[]> {
  await applyAll(cluster, await kindsOf(cluster), outside);
  const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
  const all = applications.flatMap(({ objects }) => objects);
  if (all.some(isDefinition)) await applyAll(cluster, await kindsOf(cluster), all.filter(isDefinition));
  const kinds = await kindsOf(cluster);
  const tracked = applications.flatMap((application) => application.objects.filter((object) => !isDefinition(object)).map((object) => track(object, application, kindOf(kinds, object))));
  await applyAll(cluster, kinds, tracked);
  return tracked;
}

type Kinds = ReadonlyMap<string, ResourceKind>;

async function kindsOf(cluster: Cluster): Promise<Kinds> {
  const { kinds } = await cluster.discover();
  return new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
}

export function kindOf(kinds: Kinds, { apiVersion, kind }: KubeObject): ResourceKind {
  const found = kinds.get(`${apiVersion} ${kind}`);
  if (found === undefined) throw new Error(`the cluster does not know ${kind} of ${apiVersion}: is the world's controller for it loaded?`);
  return found;
}

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; objects without a place get their Application's. */
function track(object: KubeObject, { name, namespace }: RenderedApplication, { namespaced }: ResourceKind): KubeObject {
  const { metadata } = object;
  const place = metadata.namespace ?? namespace;
  const id = `${name}:${gvkOf(object).group}/${object.kind}:${place}/${metadata.name ?? ''}`;
  const { namespace: _written, ...rest } = metadata;
  return { ...object, metadata: { ...rest, ...(namespaced ? { namespace: place } : {}), annotations: { ...metadata.annotations, 'argocd.argoproj.io/tracking-id': id } } };
}

async function applyAll(cluster: Cluster, kinds: Kinds, objects: readonly KubeObject[]): Promise<void> {
  const orders = [...new Set(objects.map(orderOf))].sort((a, b) => a - b);
  for (const order of orders) {
    const waiting = objects.filter((object) => orderOf(object) === order).values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const object of waiting) await applyOne(cluster, kindOf(kinds, object), object);
    }));
  }
}

async function applyOne(cluster: Cluster, kind: ResourceKind, object: KubeObject): Promise<void> {
  try {
    const { status, ...desired } = object;
    await cluster.apply(kind, desired, { force: true });
    if (status !== undefined && kind.subresources.includes('status')) await cluster.apply(kind, object, { force: true, subresource: 'status' });
  } catch (error) {
    throw new Error(`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
