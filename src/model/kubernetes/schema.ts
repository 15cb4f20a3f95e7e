import type { Json } from '../json/index.js';

/**
 * The shape of a value: one node of a built-in type's OpenAPI schema or of a CRD's structural schema, with references
 * resolved (the graph may be cyclic). Built-in kinds and custom resources share it, so defaulting, pruning,
 * server-side apply and strategic merge have one implementation each.
 */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly properties?: ReadonlyMap<string, Schema>;
  /** Values of a free-form map; `true` allows anything. */
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly nullable?: boolean;
  /** x-kubernetes-list-type; absent means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /** x-kubernetes-map-type; absent means granular. */
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  readonly intOrString?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  /** x-kubernetes-validations. */
  readonly celRules?: readonly CelRule[];
  /** What the Go type behind a built-in kind's value decides; absent on custom resources. */
  readonly go?: GoFacts;
}

/** One rule of x-kubernetes-validations, as its author wrote it. */
export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Facts of a Go type that OpenAPI does not carry and that decide what the real server returns and how it complains. */
export interface GoFacts {
  /** As decode errors print it, without pointers: `int32`, `v1.PodSpec`, `[]v1.Container`. */
  readonly type: string;
  /** A pointer keeps an explicit false, 0 or "" that a plain field with omitempty loses. */
  readonly pointer: boolean;
  /**
   * When the field is left out of the output. `empty`: null for a pointer; false, 0, "", an empty list or map
   * otherwise; a struct stays. `zero`: also a struct without content. `never`: it is written whatever its value.
   */
  readonly omit: 'empty' | 'zero' | 'never';
  /** An object inside another one (a claim template): its kind and apiVersion are not stored. */
  readonly inner?: true;
  /** The type reads its JSON itself. */
  readonly reads?:
    | 'quantity'
    | 'time'
    | 'microTime'
    | 'intOrString'
    | 'bytes'
    | 'rawExtension'
    | 'fields'
    | 'json'
    | 'schemaOrBool'
    | 'schemaOrArray'
    | 'schemaOrStrings';
}
