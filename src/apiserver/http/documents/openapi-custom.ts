import { clone, isObject, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import { REF_PREFIX } from '../../schema/index.js';
import type { DescribedType } from './discovery.js';

/** A resource that OpenAPI describes; a custom one brings the schema that its author wrote. */
export type OpenApiType = DescribedType & { readonly openApi?: JsonObject };

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** `zoo.example.com/v1 Widget` -> `com.example.zoo.v1.Widget` */
export function customName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** Published schemas of a custom resource and its list, by name. */
export function customSchemas(type: OpenApiType): [string, JsonObject][] {
  const name = customName(type.group, type.version, type.kind);
  const listName = customName(type.group, type.version, type.listKind);
  const object = publish(type.openApi ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  object.properties = { ...objectProperties(object.properties), ...typeAndMeta(`${META}ObjectMeta`) };
  put(object, 'x-kubernetes-group-version-kind', [{ group: type.group, kind: type.kind, version: type.version }]);
  const list: JsonObject = {
    description: `${type.listKind} is a list of ${type.kind}`,
    type: 'object',
    required: ['items'],
    properties: { ...typeAndMeta(`${META}ListMeta`), items: { type: 'array', items: { $ref: REF_PREFIX + name } } },
    'x-kubernetes-group-version-kind': [{ group: type.group, kind: type.listKind, version: type.version }],
  };
  return [
    [name, object],
    [listName, list],
  ];
}

function objectProperties(properties: Json | undefined): JsonObject {
  return isObject(properties) ? properties : {};
}

function typeAndMeta(meta: string): JsonObject {
  return {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { allOf: [{ $ref: REF_PREFIX + meta }] },
  };
}

/** A copy in which the extensions that plain OpenAPI readers do not know are also written in plain OpenAPI. */
function publish(schema: JsonObject): JsonObject {
  const out = clone(schema);
  const waiting = [out];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node['x-kubernetes-int-or-string'] === true) node.anyOf ??= [{ type: 'integer' }, { type: 'string' }];
    if (node['x-kubernetes-embedded-resource'] === true) {
      node.required ??= ['kind', 'apiVersion'];
      node.properties = { ...objectProperties(node.properties), ...typeAndMeta(`${META}ObjectMeta`) };
      continue;
    }
    const properties = objectProperties(node.properties);
    const below = [
      node.items,
      node.additionalProperties,
      ...Object.keys(properties).map((key) => own(properties, key)),
    ];
    for (const child of below) if (isObject(child)) waiting.push(child);
  }
  return out;
}
