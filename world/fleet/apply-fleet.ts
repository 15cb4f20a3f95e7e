import { gvkOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import { apiVersionOf, type Cluster, type ResourceKind } from '../../src/cluster/index.js';
import { FIRST_UNKNOWN_KINDS } from './first-moment.js';
import type { RenderedApplication } from './render-fleet.js';

/** Applying so many at a time keeps a server busy; more only wait in the client. */
const AT_ONCE = 32;

/** Argo CD's order of kinds, but for Jobs: they work with what the others start, and so come last. */
const KIND_ORDER = [
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];

const orderOf = ({ kind }: KubeObject): number =>
  KIND_ORDER.includes(kind) ? KIND_ORDER.indexOf(kind) : KIND_ORDER.length;

/**
 * Applies what must be there before, then the objects of the Applications by wave and kind, without waiting between
 * them, each with the tracking id of its Application. Gives the objects as they were sent. An object that the server
 * refuses ends it, by name; those of kinds that were unknown at the first moment are left out.
 */
export async function applyFleet(
  cluster: Cluster,
  outside: readonly KubeObject[],
  applications: readonly RenderedApplication[],
): Promise<KubeObject[]> {
  await applyAll(cluster, await kindsOf(cluster), outside);
  const kinds = await kindsOf(cluster);
  const tracked = applications.map((application) => ({
    wave: application.wave,
    objects: application.objects
      .filter(({ kind }) => !FIRST_UNKNOWN_KINDS.includes(kind))
      .map((object) => track(object, application, kindOf(kinds, object))),
  }));
  for (const wave of [...new Set(tracked.map((each) => each.wave))].sort((a, b) => a - b)) {
    await applyAll(
      cluster,
      kinds,
      tracked
        .filter((each) => each.wave === wave)
        .flatMap(({ objects }) => objects)
        .filter(({ kind }) => kind !== 'Job'),
    );
  }
  const all = tracked.flatMap(({ objects }) => objects);
  await applyAll(
    cluster,
    kinds,
    all.filter(({ kind }) => kind === 'Job'),
  );
  return all;
}

type Kinds = ReadonlyMap<string, ResourceKind>;

async function kindsOf(cluster: Cluster): Promise<Kinds> {
  const { kinds } = await cluster.discover();
  return new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
}

function kindOf(kinds: Kinds, { apiVersion, kind }: KubeObject): ResourceKind {
  const found = kinds.get(`${apiVersion} ${kind}`);
  if (found === undefined)
    throw new Error(`the cluster does not know ${kind} of ${apiVersion}: is the world's controller for it loaded?`);
  return found;
}

/** `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; objects without a place get their Application's. */
function track(object: KubeObject, { name, namespace }: RenderedApplication, { namespaced }: ResourceKind): KubeObject {
  const { metadata } = object;
  const place = metadata.namespace ?? namespace;
  const id = `${name}:${gvkOf(object).group}/${object.kind}:${place}/${metadata.name ?? ''}`;
  const { namespace: _written, ...rest } = metadata;
  return {
    ...object,
    metadata: {
      ...rest,
      ...(namespaced ? { namespace: place } : {}),
      annotations: { ...metadata.annotations, 'argocd.argoproj.io/tracking-id': id },
    },
  };
}

async function applyAll(cluster: Cluster, kinds: Kinds, objects: readonly KubeObject[]): Promise<void> {
  const orders = [...new Set(objects.map(orderOf))].sort((a, b) => a - b);
  for (const order of orders) {
    const waiting = objects.filter((object) => orderOf(object) === order).values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const object of waiting) await applyOne(cluster, kindOf(kinds, object), object);
      }),
    );
  }
}

async function applyOne(cluster: Cluster, kind: ResourceKind, object: KubeObject): Promise<void> {
  try {
    const { status, ...desired } = object;
    await cluster.apply(kind, desired, { force: true });
    if (status !== undefined && kind.subresources.includes('status'))
      await cluster.apply(kind, object, { force: true, subresource: 'status' });
  } catch (error) {
    throw new Error(
      `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}: ` +
        (error instanceof Error ? error.message : String(error)),
      { cause: error },
    );
  }
}
