import type { JsonObject } from '../json/index.js';

export interface OwnerReference extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry extends JsonObject {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface ObjectMeta extends JsonObject {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object. Everything beyond these three fields is read as JSON by path. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `apps/v1` -> group apps, version v1; `v1` -> the core group, whose name is empty. */
export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function joinApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

export function gvkOf(object: { apiVersion: string; kind: string }): GroupVersionKind {
  const { group, version } = splitApiVersion(object.apiVersion);
  return { group, version, kind: object.kind };
}

/** Which object, whatever its version: group, kind, namespace (empty for cluster scope) and name. */
export interface Key {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function keyOf(object: KubeObject): Key {
  const { apiVersion, kind, metadata } = object;
  // Every event of a watch and every comparison asks for it: no slice that nobody needs.
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { group, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** One line for a key, also used as a map key: `apps/Deployment/shop/cart`. */
export function keyText(key: Key): string {
  return `${key.group}/${key.kind}/${key.namespace}/${key.name}`;
}

/** The name of an object; empty where the server has yet to generate one. */
export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

/** A key as people read it: `Deployment shop/cart`, or `ClusterRole admin`. */
export function describeKey({ kind, namespace, name }: Pick<Key, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
