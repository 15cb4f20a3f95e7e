import { compareText } from '../../model/go/index.js';
import { gvkOf, joinApiVersion, keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { Health } from '../../model/argo/index.js';
import { type JsonObject, objectsAt, textAt } from '../../model/json/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { Assess } from '../delivery/index.js';
import { describeObject, type InfoItem, type NetworkingInfo } from './describe-object.js';
import type { FullObjectCache } from './full-object-cache.js';

export interface ResourceRef {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** In the form of Argo CD's API. */
export interface ResourceNode extends ResourceRef {
  readonly parentRefs?: readonly ResourceRef[];
  readonly info?: readonly InfoItem[];
  readonly networkingInfo?: NetworkingInfo;
  readonly resourceVersion?: string;
  readonly images?: readonly string[];
  readonly health?: { readonly status: string; readonly message?: string };
  readonly createdAt?: string;
}

export interface ApplicationTree {
  readonly nodes: readonly ResourceNode[];
  readonly orphanedNodes?: readonly ResourceNode[];
}

export interface TreeContext {
  readonly clusterCache: ClusterCache;
  readonly assess: Assess;
  readonly fullObjects: FullObjectCache;
  /** Labels that nodes show. */
  readonly customLabels: readonly string[];
  /** Objects that are the application's, as the controller compares them. */
  readonly owned: readonly KubeObject[];
  /** Whether the project of the application allows an object like this one. */
  isAllowed(object: KubeObject): boolean;
  /** Whether no other application tracks the object. */
  isFree(object: KubeObject): boolean;
}

/** Kinds that are left out of trees. */
export const NOT_IN_TREES: ReadonlySet<string> = new Set([
  '/Event',
  'events.k8s.io/Event',
  'coordination.k8s.io/Lease',
]);
const MAX_NODES = 20_000;

/**
 * What an application manages, and what belongs to that: by owners, and by the names that Kubernetes gives.
 *
 * Only nodes with a uid are opened. Who may write an Application can write anything into its status, so what only the
 * status lists is a name to show and nothing more; and who may write an object can write any owner into it, so what
 * belongs to an object must be in a place where Kubernetes lets it, and where the project does.
 */
export async function readTree(
  application: KubeObject,
  orphans: readonly Key[],
  place: TreeContext,
): Promise<ApplicationTree> {
  const nodes = await nodesBelow(place.owned, place);
  const opened = new Set(place.owned.map((object) => keyText(keyOf(object))));
  const listed = objectsAt(application, 'status', 'resources')
    .filter((raw) => !opened.has(keyText(keyAt(raw))) && place.isAllowed(listedObject(raw, place.clusterCache)))
    .flatMap((raw) => listedNode(raw, place.clusterCache) ?? []);
  if (orphans.length === 0) return { nodes: [...listed, ...nodes] };
  return {
    nodes: [...listed, ...nodes],
    orphanedNodes: await nodesBelow(
      orphans.flatMap((key) => place.clusterCache.get(key) ?? []).filter((object) => place.isAllowed(object)),
      place,
    ),
  };
}

async function nodesBelow(roots: readonly KubeObject[], place: TreeContext): Promise<ResourceNode[]> {
  const parents = new Map<string, KubeObject[]>();
  const heads = new Map<string, KubeObject>();
  const queue = [...roots];
  for (const object of queue) {
    const id = keyText(keyOf(object));
    if (heads.has(id) || heads.size >= MAX_NODES) continue;
    heads.set(id, object);
    for (const child of childrenOf(object, place.clusterCache)) {
      const { group, kind } = gvkOf(child);
      if (NOT_IN_TREES.has(`${group}/${kind}`) || !mayBelong(child, object, place)) continue;
      const name = keyText(keyOf(child));
      parents.set(name, [...(parents.get(name) ?? []), object]);
      queue.push(child);
    }
  }
  const objects = await place.fullObjects.read(place.clusterCache, [...heads.values()]);
  return objects
    .map((object) => nodeOf(object, parents.get(keyText(keyOf(object))) ?? [], place))
    .sort((a, b) => compareText(nodeName(a), nodeName(b)));
}

/** Owners are of the same namespace, or of the cluster: whatever else a reference says, Kubernetes ignores. */
function mayBelong(child: KubeObject, owner: KubeObject, place: TreeContext): boolean {
  const { namespace = '' } = owner.metadata;
  return (namespace === '' || namespace === child.metadata.namespace) && place.isAllowed(child) && place.isFree(child);
}

/** Objects of a cluster, as a cache or a list has them. */
export interface ObjectLister {
  /** Those that name this owner. */
  childrenOf(uid: string): KubeObject[];
  get(key: Key): KubeObject | undefined;
  listOf(kind: Pick<Key, 'group' | 'kind'>): KubeObject[];
}

/** What belongs to an object: by owners, and by the names that Kubernetes gives. */
export function childrenOf(object: KubeObject, view: ObjectLister): KubeObject[] {
  const { uid, namespace = '', name = '' } = object.metadata;
  const owned = uid === undefined ? [] : view.childrenOf(uid);
  const { group, kind } = gvkOf(object);
  if (group === 'apps' && kind === 'StatefulSet') return [...owned, ...claimsOf(object, view)];
  if (group === '' && kind === 'Service') {
    const endpoints = view.get({ group: '', kind: 'Endpoints', namespace, name });
    return endpoints === undefined ? owned : [...owned, endpoints];
  }
  return owned;
}

/** Claims that were made of the templates of a StatefulSet carry its name and a number. */
function claimsOf({ metadata: { namespace = '', name = '' }, spec }: KubeObject, view: ObjectLister): KubeObject[] {
  const templates = objectsAt({ spec }, 'spec', 'volumeClaimTemplates').map((template) =>
    textAt(template, 'metadata', 'name'),
  );
  if (templates.length === 0) return [];
  const isOurs = (claim: string): boolean =>
    templates.some(
      (template) =>
        claim.startsWith(`${template}-${name}-`) && /^\d+$/.test(claim.slice(template.length + name.length + 2)),
    );
  return view
    .listOf({ group: '', kind: 'PersistentVolumeClaim' })
    .filter(({ metadata }) => metadata.namespace === namespace && isOurs(metadata.name ?? ''));
}

function nodeOf(
  object: KubeObject,
  parents: readonly KubeObject[],
  { assess, customLabels }: TreeContext,
): ResourceNode {
  const health = assess(object);
  const { resourceVersion, creationTimestamp } = object.metadata;
  const { info, images, networkingInfo } = describeObject(object, customLabels);
  return {
    ...refOf(object),
    ...(parents.length === 0 ? {} : { parentRefs: parents.map(refOf) }),
    ...(info.length === 0 ? {} : { info }),
    ...(networkingInfo === undefined ? {} : { networkingInfo }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(images.length === 0 ? {} : { images }),
    ...(health === undefined ? {} : { health: healthView(health) }),
    ...(typeof creationTimestamp === 'string' ? { createdAt: creationTimestamp } : {}),
  };
}

function healthView({ status, message }: Health): { readonly status: string; readonly message?: string } {
  return message === undefined || message === '' ? { status } : { status, message };
}

function refOf(object: KubeObject): ResourceRef {
  const { group, version, kind } = gvkOf(object);
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return {
    ...(group === '' ? {} : { group }),
    version,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === '' ? {} : { uid }),
  };
}

/** What the status of an application says of an object, without the object. A hook that is gone is not missing. */
function listedNode(raw: JsonObject, clusterCache: ClusterCache): ResourceNode | undefined {
  const key = keyAt(raw);
  const isThere = clusterCache.get(key) !== undefined;
  if (!isThere && raw.hook === true) return undefined;
  const { group, kind, namespace, name } = key;
  return {
    ...(group === '' ? {} : { group }),
    version: textAt(raw, 'version'),
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(isThere ? {} : { health: { status: 'Missing', message: 'Resource has not been created' } }),
  };
}

/** Its version is only what a status says: whether the kind has namespaces is known from the cluster. */
function listedObject(raw: JsonObject, clusterCache: ClusterCache): KubeObject {
  const { group, kind, namespace, name } = keyAt(raw);
  const served = clusterCache.servedInstead({ apiVersion: joinApiVersion(group, ''), kind, metadata: {} });
  const version = served?.group === group ? served.version : textAt(raw, 'version');
  return {
    apiVersion: joinApiVersion(group, version),
    kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  };
}

function nodeName({ group = '', kind, namespace = '', name }: ResourceNode): string {
  return keyText({ group, kind, namespace, name });
}

export function keyAt(raw: JsonObject): Key {
  return {
    group: textAt(raw, 'group'),
    kind: textAt(raw, 'kind'),
    namespace: textAt(raw, 'namespace'),
    name: textAt(raw, 'name'),
  };
}
