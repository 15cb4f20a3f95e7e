import { isArray, isObject, own, type Json, type JsonObject } from '../../../src/model/json/index.js';

/** Who wrote an object, as an API server keeps it: half of what a dump holds. */
export function writtenBy(time: string, object: JsonObject): JsonObject[] {
  const { metadata, spec, data, status } = object;
  const entry = (manager: string, operation: string, fields: JsonObject, more: JsonObject = {}): JsonObject => ({
    manager,
    operation,
    apiVersion: object.apiVersion ?? '',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...more,
  });
  const entries = [
    entry('argocd-controller', 'Apply', {
      'f:metadata': fieldsOf(metadata),
      ...(spec === undefined ? {} : { 'f:spec': fieldsOf(spec) }),
      ...(data === undefined ? {} : { 'f:data': fieldsOf(data) }),
    }),
  ];
  if (status !== undefined)
    entries.push(
      entry('kube-controller-manager', 'Update', { 'f:status': fieldsOf(status) }, { subresource: 'status' }),
    );
  return entries;
}

const LEFT_OUT = new Set([
  'managedFields',
  'uid',
  'resourceVersion',
  'name',
  'namespace',
  'creationTimestamp',
  'generation',
]);

/** The names of the fields of a value, as field sets write them. */
function fieldsOf(value: Json | undefined): JsonObject {
  if (isArray(value))
    return Object.fromEntries(
      value.map((item, index) => [
        isObject(item) && typeof item.name === 'string' ? `k:{"name":${JSON.stringify(item.name)}}` : `v:${index}`,
        { '.': {}, ...fieldsOf(item) },
      ]),
    );
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .filter((name) => !LEFT_OUT.has(name))
          .map((name) => [`f:${name}`, fieldsOf(own(value, name))]),
      )
    : {};
}
