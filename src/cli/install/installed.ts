import { INSTALLATION_LABEL, RECORD } from '../../install/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, parseJson, textAt, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { CONFIG_MAPS, type ResourceRef } from '../../model/resources/index.js';

/** Kinds of an installation, those first that start or let in something. */
const KINDS: readonly (readonly [group: string, kind: string])[] = [
  ['monitoring.coreos.com', 'ServiceMonitor'],
  ['networking.k8s.io', 'Ingress'],
  ['route.openshift.io', 'Route'],
  ['cert-manager.io', 'Certificate'],
  ['policy', 'PodDisruptionBudget'],
  ['apps', 'Deployment'],
  ['apps', 'StatefulSet'],
  ['networking.k8s.io', 'NetworkPolicy'],
  ['', 'Service'],
  ['rbac.authorization.k8s.io', 'ClusterRoleBinding'],
  ['rbac.authorization.k8s.io', 'RoleBinding'],
  ['rbac.authorization.k8s.io', 'ClusterRole'],
  ['rbac.authorization.k8s.io', 'Role'],
  ['', 'Secret'],
  ['', 'ServiceAccount'],
  ['', 'ConfigMap'],
];

export interface InstalledObject {
  readonly kind: ResourceRef;
  readonly object: KubeObject;
}

/** What the installation of a namespace consists of, wherever it is, in the order in which it may be deleted. */
export async function findInstalled(cluster: Cluster, namespace: string): Promise<InstalledObject[]> {
  const { kinds } = await cluster.discover();
  const served = KINDS.flatMap(
    ([group, kind]) => kinds.find((each) => each.group === group && each.kind === kind && each.preferred) ?? [],
  );
  const lists = await Promise.all(
    served.map(async (kind) => {
      const { items } = await listOf(cluster, kind, namespace);
      return items.map((object) => ({ kind, object }));
    }),
  );
  return lists.flat().filter(({ object }) => object.metadata.labels?.['app.kubernetes.io/part-of'] === 'argosy');
}

/** Everywhere, or where that is not allowed, in the namespace alone. */
async function listOf(cluster: Cluster, kind: ResourceRef, namespace: string): Promise<{ items: KubeObject[] }> {
  const labelSelector = `${INSTALLATION_LABEL}=${namespace}`;
  try {
    return await cluster.list(kind, { labelSelector });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    return kind.namespaced ? cluster.list(kind, { labelSelector, namespace }) : { items: [] };
  }
}

export async function deleteObject(
  cluster: Cluster,
  kind: ResourceRef,
  { metadata: { name = '', namespace, uid = '' } }: KubeObject,
  dryRun: boolean,
): Promise<void> {
  await cluster.remove(kind, { name, namespace }, { uid, dryRun, propagation: 'Background' });
}

export interface InstallationRecord {
  readonly values: JsonObject;
  readonly version: string;
}

/** With which values, and by which version, the namespace was installed. */
export async function readRecord(cluster: Cluster, namespace: string): Promise<InstallationRecord | undefined> {
  const found = await cluster.get(CONFIG_MAPS, { namespace, name: RECORD });
  if (found === undefined) return undefined;
  const values = parseJson(textAt(found, 'data', 'values') || '{}');
  if (!isObject(values))
    throw new Fault('VALUE_INVALID', 'data.values is no JSON object', { where: `ConfigMap ${namespace}/${RECORD}` });
  return { values, version: textAt(found, 'data', 'version') };
}
