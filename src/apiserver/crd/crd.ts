import { isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** A CustomResourceDefinition read defensively: whatever a client sent, every field here has the type it says. */
export interface Crd {
  readonly name: string;
  readonly group: string;
  readonly scope: string;
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly conversion: JsonObject;
  readonly preserveUnknownFields: boolean;
}

export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  /** openAPIV3Schema as written. */
  readonly schema: JsonObject | undefined;
  readonly status: boolean;
  readonly scale: { readonly specPath: string; readonly statusPath: string; readonly selectorPath: string } | undefined;
  readonly columns: readonly CrdColumn[];
  readonly selectableFields: readonly string[];
}

export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const list = (value: Json | undefined): JsonArray => (Array.isArray(value) ? value : []);
const texts = (value: Json | undefined): string[] =>
  list(value).filter((item): item is string => typeof item === 'string');

export function readCrd(crd: KubeObject): Crd {
  const spec = object(crd.spec);
  return {
    name: crd.metadata.name ?? '',
    group: text(spec.group),
    scope: text(spec.scope),
    names: readNames(object(spec.names)),
    versions: list(spec.versions).map((version) => readVersion(object(version))),
    conversion: object(spec.conversion),
    preserveUnknownFields: spec.preserveUnknownFields === true,
  };
}

export function readNames(names: JsonObject): CrdNames {
  return {
    plural: text(names.plural),
    singular: text(names.singular),
    kind: text(names.kind),
    listKind: text(names.listKind),
    shortNames: texts(names.shortNames),
    categories: texts(names.categories),
  };
}

function readVersion(version: JsonObject): CrdVersion {
  const schema = object(version.schema).openAPIV3Schema;
  const subresources = object(version.subresources);
  const scale = subresources.scale;
  return {
    name: text(version.name),
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    deprecationWarning: typeof version.deprecationWarning === 'string' ? version.deprecationWarning : undefined,
    schema: isObject(schema) ? schema : undefined,
    status: isObject(subresources.status),
    scale: isObject(scale)
      ? {
          specPath: text(scale.specReplicasPath),
          statusPath: text(scale.statusReplicasPath),
          selectorPath: text(scale.labelSelectorPath),
        }
      : undefined,
    columns: list(version.additionalPrinterColumns).map((column) => readColumn(object(column))),
    selectableFields: list(version.selectableFields).map((field) => text(object(field).jsonPath)),
  };
}

function readColumn(column: JsonObject): CrdColumn {
  return {
    name: text(column.name),
    type: text(column.type),
    format: text(column.format),
    description: text(column.description),
    priority: typeof column.priority === 'number' ? column.priority : 0,
    jsonPath: text(column.jsonPath),
  };
}

/** The properties of a JSON schema, by name. */
export function propertiesOf(schema: JsonObject): [string, JsonObject][] {
  const properties = object(schema.properties);
  return Object.keys(properties).map((name) => [name, object(own(properties, name))]);
}
