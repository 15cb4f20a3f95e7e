import { Fault } from '../../model/faults/index.js';
import { joinApiVersion } from '../../model/kubernetes/index.js';
import type { ResourceRef } from '../../model/resources/index.js';

/** A kind as discovery describes it. */
export interface ResourceKind extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names such as `status` and `scale`. */
  readonly subresources: readonly string[];
  /**
   * Whether its version is the one that the server prefers: that of its group, or the first one that has the kind. One
   * of each kind is.
   */
  readonly preferred: boolean;
}

/** Which object of a kind; no namespace for kinds without. */
export interface ObjectId {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function apiVersionOf(kind: ResourceRef): string {
  return joinApiVersion(kind.group, kind.version);
}

/** `apps/Deployment`, or `Pod` for the core group: what people read. */
export function kindText(kind: { readonly group: string; readonly kind: string }): string {
  return kind.group === '' ? kind.kind : `${kind.group}/${kind.kind}`;
}

/** The path of a collection, in one namespace or everywhere. */
export function collectionPath(kind: ResourceRef, namespace?: string): string {
  const root = kind.group === '' ? `/api/${part(kind.version)}` : `/apis/${part(kind.group)}/${part(kind.version)}`;
  const scope = kind.namespaced && namespace !== undefined && namespace !== '' ? `/namespaces/${part(namespace)}` : '';
  return `${root}${scope}/${part(kind.plural)}`;
}

export function objectPath(kind: ResourceRef, id: ObjectId, subresource?: string): string {
  return `${collectionPath(kind, id.namespace)}/${part(id.name)}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** One path segment. Names come from objects, so nothing in them may leave the segment. */
function part(text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new Fault('VALUE_INVALID', `"${text}" is no name of an object or a namespace`);
  return encodeURIComponent(text);
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' || value === false ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}
