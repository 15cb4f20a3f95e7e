import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { during } from '../fault.js';
import { unmarshalText } from './parse-kustomization.js';
import type { Loader } from '../load/loader.js';
import type { Gvk } from '../resource/res-id.js';
import { mergeSpecs, type FieldSpec } from '../config/field-spec.js';
import {
  EMPTY_CONFIG,
  mergeConfigs,
  mergeReferences,
  sorted,
  type TransformerConfig,
} from '../config/transformer-config.js';

const MAX_LEVELS = 100;

/** The fields that OpenAPI definitions of custom resources mark as names, labels or annotations. */
export function configFromCrds(loader: Loader, paths: readonly string[]): TransformerConfig {
  let config = EMPTY_CONFIG;
  for (const path of paths) {
    const definitions = during(`unable to parse open API definition from '${path}'`, () =>
      unmarshalText(loader.text(path)),
    );
    if (isObject(definitions)) config = mergeConfigs(config, fromDefinitions(definitions));
  }
  return config;
}

function fromDefinitions(definitions: JsonObject): TransformerConfig {
  let config = EMPTY_CONFIG;
  for (const name of Object.keys(definitions)) {
    const properties = propertiesOf(definitions, name);
    if (
      properties === undefined ||
      !['kind', 'apiVersion', 'metadata'].every((field) => own(properties, field) !== undefined)
    )
      continue;
    const kind = name.slice(name.lastIndexOf('.') + 1);
    config = mergeConfigs(config, fromType(definitions, name, { group: '', version: '', kind }, []));
  }
  return config;
}

function propertiesOf(definitions: JsonObject, name: string): JsonObject | undefined {
  const definition = own(definitions, name);
  const schema = isObject(definition) ? (definition.Schema ?? definition.schema) : undefined;
  return isObject(schema) && isObject(schema.properties) ? schema.properties : undefined;
}

function fromType(definitions: JsonObject, type: string, gvk: Gvk, path: readonly string[]): TransformerConfig {
  let config = EMPTY_CONFIG;
  const properties = propertiesOf(definitions, type) ?? {};
  for (const name of path.length < MAX_LEVELS ? Object.keys(properties) : []) {
    const property = own(properties, name);
    if (!isObject(property)) continue;
    const here = [...path, name];
    config = add(config, property, gvk, here);
    const ref = own(property, '$ref');
    if (typeof ref === 'string') config = mergeConfigs(config, fromType(definitions, ref, gvk, here));
  }
  return config;
}

function add(config: TransformerConfig, property: JsonObject, gvk: Gvk, path: readonly string[]): TransformerConfig {
  const text = (name: string): string | undefined => asText(own(property, `x-kubernetes-${name}`));
  const spec = (...more: string[]): FieldSpec => ({ ...gvk, path: [...path, ...more].join('/'), create: false });
  let result = config;
  if (text('annotation') !== undefined)
    result = { ...result, commonAnnotations: mergeSpecs(result.commonAnnotations, [spec()]) };
  if (text('label-selector') !== undefined)
    result = { ...result, commonLabels: mergeSpecs(result.commonLabels, [spec()]) };
  if (text('identity') !== undefined) result = { ...result, namePrefix: mergeSpecs(result.namePrefix, [spec()]) };
  const [version, kind] = [text('object-ref-api-version'), text('object-ref-kind')];
  if (version !== undefined && kind !== undefined) {
    const reference = { group: '', version, kind, fieldSpecs: [spec(text('object-ref-name-key') ?? 'name')] };
    result = { ...result, nameReference: mergeReferences(result.nameReference, [reference]) };
  }
  return sorted(result);
}

function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
