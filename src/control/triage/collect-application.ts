import { apiVersionOf, ClusterError, type Cluster, type ResourceKind } from '../../cluster/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SnapshotBuilder, type Snapshot } from '../../triage/index.js';
import { collectLogs, runConcurrently, informativeKinds } from './collect-cluster.js';

const CONCURRENCY = 12;
/** One page of each kind and namespace; where there is more, nothing is concluded from what was not seen. */
const PAGE_SIZE = 500;
const MAX_NAMESPACES = 6;
const MAX_LOGS = 20;
/** Rights and definitions are many, large, and told by the server where they matter. */
const LEFT_OUT = new Set([
  'apiextensions.k8s.io/CustomResourceDefinition',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'apiregistration.k8s.io/APIService',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'coordination.k8s.io/Lease',
  '/Namespace',
]);
const CONTROL_KINDS = ['argoproj.io/Application', 'argoproj.io/AppProject'];
const CONTROL_MAPS = ['argocd-cm', 'argocd-cmd-params-cm'];

export interface ApplicationSurroundings {
  /** Where the Application is, with the others. */
  readonly controlPlane: Cluster;
  readonly controlNamespace: string;
  /** Where its objects are; the same as `home` for most. */
  readonly destination: Cluster;
  readonly now: number;
}

/**
 * What one application needs to be explained: the Applications, what is in its namespaces and in those that its stores
 * ask, and what the cluster has once.
 * Bounded, however large the fleet is. Only GET is ever sent.
 */
export async function collectApplication(
  application: KubeObject,
  { controlPlane, controlNamespace, destination, now }: ApplicationSurroundings,
): Promise<Snapshot> {
  const builder = new SnapshotBuilder();
  builder.add(application, controlPlane.server);
  const [{ kinds }] = await Promise.all([
    destination.discover(),
    collectControl(application, controlPlane, controlNamespace, builder),
  ]);
  const wanted = informativeKinds(kinds).filter(({ group, kind }) => !LEFT_OUT.has(`${group}/${kind}`));
  const pods: KubeObject[] = [];
  const others = new Set<string>();
  const collect = async (kind: ResourceKind, namespace: string): Promise<void> => {
    for (const object of await listPage(destination, kind, namespace, builder)) {
      if (kind.kind === 'Pod' && kind.group === '') pods.push(object);
      if (kind.group === 'external-secrets.io') for (const other of servedFrom(object.spec)) others.add(other);
    }
  };
  const all = async (namespaces: readonly string[]): Promise<void> => {
    await runConcurrently(
      wanted
        .filter(({ namespaced }) => namespaced)
        .flatMap((kind) => namespaces.map((namespace) => [kind, namespace] as const)),
      CONCURRENCY,
      ([kind, namespace]) => collect(kind, namespace),
    );
  };
  const own = namespacesOf(application).slice(0, MAX_NAMESPACES);
  await Promise.all([
    all(own),
    runConcurrently(
      wanted.filter(({ namespaced }) => !namespaced),
      CONCURRENCY,
      (kind) => collect(kind, ''),
    ),
  ]);
  await all([...others].filter((other) => !own.includes(other)).slice(0, MAX_NAMESPACES));
  await collectLogs(destination, pods, builder, MAX_LOGS);
  return builder.build(now);
}

/** The other Applications tell what is usual, and who else has the same objects. */
async function collectControl(
  application: KubeObject,
  controlCluster: Cluster,
  namespace: string,
  builder: SnapshotBuilder,
): Promise<void> {
  const { kinds } = await controlCluster.discover();
  const find = (group: string, kind: string): ResourceKind | undefined =>
    kinds.find((each) => each.group === group && each.kind === kind && each.preferred);
  await Promise.all(
    CONTROL_KINDS.map(async (name) => {
      const kind = find(name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1));
      if (kind !== undefined)
        await listPage(controlCluster, kind, namespace, builder, (object) =>
          object.kind !== 'Application' || object.metadata.uid === application.metadata.uid
            ? object
            : withoutProblems(object),
        );
    }),
  );
  const maps = find('', 'ConfigMap');
  if (maps === undefined) return;
  for (const name of CONTROL_MAPS) {
    const found = await controlCluster.get(maps, { namespace, name }).catch(ignoreClusterError);
    if (found !== undefined) builder.add(found, controlCluster.server);
  }
}

/** The troubles of others are another question: the way is to be found from this application. */
function withoutProblems(application: KubeObject): KubeObject {
  const { status, ...rest } = application;
  return isObject(status) && status.resources !== undefined
    ? { ...rest, status: { resources: status.resources } }
    : rest;
}

async function listPage(
  cluster: Cluster,
  kind: ResourceKind,
  namespace: string,
  builder: SnapshotBuilder,
  mask: (object: KubeObject) => KubeObject = (object) => object,
): Promise<readonly KubeObject[]> {
  const { group, kind: name } = kind;
  try {
    const { items, continue: more } = await cluster.page(kind, {
      ...(namespace === '' ? {} : { namespace }),
      pageSize: PAGE_SIZE,
    });
    for (const item of items) {
      const typed = item as { apiVersion?: string; kind?: string };
      typed.apiVersion ??= apiVersionOf(kind);
      typed.kind ??= name;
      builder.add(mask(item), cluster.server);
    }
    builder.listing({
      group,
      kind: name,
      namespace,
      listing: more === '' ? 'complete' : 'partial',
      because: more === '' ? '' : `only the first ${PAGE_SIZE}`,
    });
    return items;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    builder.listing({
      group,
      kind: name,
      namespace,
      listing: error.status === 403 ? 'forbidden' : 'missing',
      because: error.message,
    });
    return [];
  }
}

function ignoreClusterError(error: unknown): undefined {
  if (error instanceof ClusterError) return undefined;
  throw error;
}

/** Where its objects go, the most usual first. */
function namespacesOf({ spec, status }: KubeObject): string[] {
  const resources = isObject(status) && isArray(status.resources) ? status.resources.filter(isObject) : [];
  const destination = isObject(spec) && isObject(spec.destination) ? spec.destination.namespace : undefined;
  return [
    ...new Set(
      [destination, ...resources.map((resource) => resource.namespace)].filter(
        (name) => typeof name === 'string' && name !== '',
      ),
    ),
  ] as string[];
}

/** Namespaces of the services that a store asks, such as `http://vault.platform.svc:8200`. */
function servedFrom(spec: Json | undefined): string[] {
  const provider = isObject(spec) ? own(spec, 'provider') : undefined;
  return [...JSON.stringify(provider ?? null).matchAll(/\/\/[a-z0-9-]{1,63}\.([a-z0-9-]{1,63})\.svc/g)].flatMap(
    ([, namespace]) => (namespace === undefined ? [] : [namespace]),
  );
}
