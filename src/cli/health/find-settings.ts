import { type Cluster, ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ARGOCDS, CONFIG_MAPS, type ResourceRef } from '../../model/resources/index.js';

/** Where the settings of a control plane are written. */
export interface SettingsLocation {
  readonly namespace: string;
  /** The ArgoCD object that argocd-cm belongs to, with the version that the cluster serves. */
  readonly argocd: { readonly object: KubeObject; readonly kind: ResourceRef } | undefined;
  readonly map: KubeObject | undefined;
}

/**
 * Finds argocd-cm and whoever owns it. Without a namespace, the one of the only ArgoCD object, else `argocd`, else
 * `openshift-gitops`.
 */
export async function findSettings(
  cluster: Cluster,
  asked: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): Promise<SettingsLocation> {
  const { kind, items } = await listArgoCDs(cluster, asked.namespace);
  const namespace = asked.namespace ?? (await guessNamespace(cluster, items, asked.name));
  const here = items
    .filter(({ metadata }) => metadata.namespace === namespace)
    .sort((a, b) => compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''));
  const map = await cluster.get(CONFIG_MAPS, { namespace, name: 'argocd-cm' });
  const owner = map?.metadata.ownerReferences?.find((reference) => reference.kind === ARGOCDS.kind)?.name;
  const name = asked.name ?? owner;
  const object = name === undefined ? here[0] : here.find(({ metadata }) => metadata.name === name);
  if (name !== undefined && object === undefined) {
    const ownerNote = owner === name ? ', though argocd-cm says that it belongs to it' : '';
    const others = here.length === 0 ? '' : `; there is ${here.map(({ metadata }) => metadata.name ?? '').join(', ')}`;
    throw new Fault('VALUE_INVALID', `ArgoCD ${name} not found in namespace ${namespace}${ownerNote}${others}`, {
      where: cluster.server,
    });
  }
  return { namespace, map, argocd: object === undefined ? undefined : { object, kind } };
}

/** Older operators serve an older version of the kind; a cluster without any has none of them. */
async function listArgoCDs(
  cluster: Cluster,
  namespace: string | undefined,
): Promise<{ kind: ResourceRef; items: KubeObject[] }> {
  for (const version of ['v1beta1', 'v1alpha1']) {
    const kind = { ...ARGOCDS, version };
    try {
      return { kind, items: (await cluster.list(kind, namespace === undefined ? {} : { namespace })).items };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.status === 403 && namespace === undefined)
        throw new Fault('CLUSTER_REFUSED', `cannot find the settings: ${error.message}; name the namespace with -n`, {
          where: cluster.server,
          cause: error,
        });
      if (!error.isNotFound) throw error;
    }
  }
  return { kind: ARGOCDS, items: [] };
}

async function guessNamespace(
  cluster: Cluster,
  argocds: readonly KubeObject[],
  name: string | undefined,
): Promise<string> {
  const found = [
    ...new Set(
      argocds
        .filter(({ metadata }) => name === undefined || metadata.name === name)
        .map(({ metadata }) => metadata.namespace ?? ''),
    ),
  ].sort(compareText);
  if (found.length > 1)
    throw new Fault('USAGE', `there are ArgoCDs in the namespaces ${found.join(', ')}: name one with -n`, {
      where: cluster.server,
    });
  if (found[0] !== undefined) return found[0];
  const usual = await cluster.get(CONFIG_MAPS, { namespace: 'openshift-gitops', name: 'argocd-cm' });
  return usual === undefined ? 'argocd' : 'openshift-gitops';
}

/** The entries of an ArgoCD's `spec.resourceHealthChecks`. */
export function checksIn({ spec }: KubeObject): JsonObject[] {
  const list = isObject(spec) ? spec.resourceHealthChecks : undefined;
  return isArray(list) ? list.filter(isObject) : [];
}

export function dataOf(map: KubeObject | undefined): ReadonlyMap<string, string> {
  const data = isObject(map?.data) ? map.data : {};
  return new Map(
    Object.keys(data).flatMap((key) => {
      const value = own(data, key);
      return typeof value === 'string' ? [[key, value] as const] : [];
    }),
  );
}
