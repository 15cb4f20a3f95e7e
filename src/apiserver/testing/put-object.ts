import { applyMergePatch } from '../../model/patch/index.js';
import { clone, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { matchesLabels, parseLabelSelector, splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import type { ResourceName } from '../rest/index.js';
import { number, text, type ResourceType } from '../resources/index.js';
import { addNamespace, type MemoryCluster } from './memory-cluster.js';

export function asObject(value: Json | undefined): KubeObject {
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string')
    throw new Error(`not an object with apiVersion and kind: ${JSON.stringify(value)}`);
  const object = clone(value) as KubeObject;
  if (!isObject(object['metadata'])) object.metadata = {};
  return object;
}

export function resourceFor(
  cluster: MemoryCluster,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): ResourceType {
  const { group } = splitApiVersion(apiVersion);
  const type = cluster.context.types.byKind(group, '', kind);
  if (!type) throw new Error(`no such kind is served: ${apiVersion} ${kind}`);
  return type;
}

/** Creates the object, or merges it over the one that exists; `status` goes through the status subresource. */
export async function putObject(cluster: MemoryCluster, raw: Json | undefined): Promise<void> {
  const object = asObject(raw);
  const of = resourceFor(cluster, object);
  if (of.namespaced) object.metadata.namespace ??= 'default';
  fillOwners(cluster, object);
  const { namespace = '', name = '' } = object.metadata;
  const { status, ...rest } = object;
  if (name === '' || !cluster.client.get(of, namespace, name)) await createNew(cluster, of, decoded(of, rest));
  else await merge(cluster, of, namespace, name, rest);
  if (status !== undefined && name !== '') await merge(cluster, of, namespace, name, { status }, 'status');
}

/** As a request would be decoded; a field that the kind does not have is a slip of the case. */
function decoded(of: ResourceType, value: JsonObject): KubeObject {
  const { object, unknownFields } = of.decode(value);
  if (unknownFields.length > 0) throw new Error(`${of.kind} has no such fields: ${unknownFields.join(', ')}`);
  return object;
}

async function createNew(cluster: MemoryCluster, of: ResourceName, object: KubeObject): Promise<void> {
  if (of.group === '' && of.plural === 'namespaces') await addNamespace(cluster.client, object);
  else await cluster.client.create(of, object);
}

async function merge(
  cluster: MemoryCluster,
  of: ResourceType,
  namespace: string,
  name: string,
  patch: JsonObject,
  subresource?: string,
): Promise<void> {
  await cluster.client.edit(
    of,
    namespace,
    name,
    (object) => {
      Object.assign(object, decoded(of, applyMergePatch(clone(object), patch)));
    },
    subresource,
  );
}

/** Cases name owners by kind and name; uids are known only here. */
function fillOwners(cluster: MemoryCluster, object: KubeObject): void {
  for (const owner of object.metadata.ownerReferences ?? []) {
    const of = resourceFor(cluster, owner);
    (owner as JsonObject)['uid'] ??= cluster.client.get(
      of,
      of.namespaced ? (object.metadata.namespace ?? '') : '',
      owner.name,
    )?.metadata.uid;
  }
}

/**
 * Objects that a step speaks of: `{ apiVersion?, kind?, namespace?, name?, select?, first? }`; pods by default
 * otherwise.
 */
export function selected(cluster: MemoryCluster, argument: Json): KubeObject[] {
  if (!isObject(argument)) throw new Error(`expected { select | name }: ${JSON.stringify(argument)}`);
  const kind = text(argument, 'kind') || 'Pod';
  const name = text(argument, 'name');
  const of = resourceFor(cluster, { apiVersion: text(argument, 'apiVersion') || 'v1', kind });
  const selector = parseLabelSelector(text(argument, 'select'));
  const found = cluster.client
    .list(of, of.namespaced ? text(argument, 'namespace') || 'default' : '')
    .filter(
      (object) => (name === '' || object.metadata.name === name) && matchesLabels(selector, object.metadata.labels),
    );
  if (found.length === 0 && name !== '') throw new Error(`there is no ${kind} ${name}`);
  return found.slice(0, number(argument, 'first') ?? found.length);
}
