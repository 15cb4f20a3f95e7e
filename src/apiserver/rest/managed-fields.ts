import type { KubeObject, ManagedFieldsEntry } from '../../model/kubernetes/index.js';
import { resetFieldsOf, trackUpdate, type WriteScope } from '../apply/index.js';
import type { ResourceType } from '../resources/index.js';
import { apiVersionOf, type Call, type RestContext } from './context.js';

/** managedFields after a create, update or patch of `call`. */
export function ownershipAfterWrite(
  context: RestContext,
  call: Call,
  live: KubeObject | undefined,
  next: KubeObject,
): ManagedFieldsEntry[] | undefined {
  const { apiVersion, kind, schema, subresource, resetFields, versions } = scopeOf(context, call);
  return trackUpdate({
    apiVersion,
    kind,
    schema,
    subresource,
    resetFields,
    versions,
    live,
    next,
    manager: call.fieldManager,
    now: context.clock.now(),
  });
}

/** What the endpoint of a call may own, and how to read entries of the kind's other versions. */
export function scopeOf(context: RestContext, { type, subresource }: Pick<Call, 'type' | 'subresource'>): WriteScope {
  const reset = resetFieldsOf({
    group: type.group,
    kind: type.kind,
    subresource,
    hasStatus: type.subresources.has('status'),
  });
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    schema: type.schema,
    subresource,
    resetFields: reset,
    versions: (apiVersion) => siblingVersion(context, type, apiVersion),
  };
}

function siblingVersion(
  context: RestContext,
  type: ResourceType,
  apiVersion: string,
): ReturnType<NonNullable<WriteScope['versions']>> {
  const sibling = context.types.all.find(
    (other) => other.storage === type.storage && apiVersionOf(other) === apiVersion,
  );
  if (!sibling) return undefined;
  const toStored = type.conversion?.toStored ?? same;
  const fromStored = type.conversion?.fromStored ?? same;
  return {
    schema: sibling.schema,
    convert: (object) => (sibling.conversion?.fromStored ?? same)(toStored(object)),
    convertBack: (object) => fromStored((sibling.conversion?.toStored ?? same)(object)),
  };
}

function same(object: KubeObject): KubeObject {
  return object;
}
