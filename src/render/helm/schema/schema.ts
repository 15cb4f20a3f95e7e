import type { RE2JS } from 're2js';
import type { Json } from '../../../model/json/index.js';

export type Draft = 4 | 6 | 7 | 2019 | 2020;

/** One schema of a document, ready to be asked. References are resolved, so it may contain itself. */
export class Schema {
  /** `true` and `false` as schemas; an empty object is `true`. */
  flag: boolean | undefined;
  ref: Schema | undefined;
  recursiveRef: Schema | undefined;
  recursiveAnchor = false;
  dynamicRef: { readonly target: Schema; readonly anchor: string } | undefined;
  dynamicAnchor = '';
  dynamicAnchors: ReadonlyMap<string, Schema> = new Map();

  types: ReadonlySet<string> = new Set();
  constant: { readonly value: Json } | undefined;
  choices: readonly Json[] | undefined;
  format = '';

  allOf: readonly Schema[] = [];
  anyOf: readonly Schema[] = [];
  oneOf: readonly Schema[] = [];
  not: Schema | undefined;
  if: Schema | undefined;
  then: Schema | undefined;
  else: Schema | undefined;

  properties: ReadonlyMap<string, Schema> = new Map();
  patternProperties: readonly { readonly pattern: RE2JS; readonly schema: Schema }[] = [];
  additionalProperties: Schema | boolean | undefined;
  propertyNames: Schema | undefined;
  required: readonly string[] = [];
  /** `dependencies`, `dependentRequired` and `dependentSchemas`, by property. */
  dependencies: ReadonlyMap<string, Schema | readonly string[]> = new Map();
  dependentRequired: ReadonlyMap<string, readonly string[]> = new Map();
  dependentSchemas: ReadonlyMap<string, Schema> = new Map();
  unevaluatedProperties: Schema | undefined;
  /** The first items one by one, then all others. */
  firstItems: readonly Schema[] = [];
  otherItems: Schema | boolean | undefined;
  contains: Schema | undefined;
  unevaluatedItems: Schema | undefined;
  uniqueItems = false;

  pattern: { readonly expression: RE2JS; readonly text: string } | undefined;
  /** minimum, maxLength and the like. */
  limits: ReadonlyMap<string, Json> = new Map();

  /** The root of the document part that this schema belongs to, where dynamic references look. */
  resource: Schema = this;

  constructor(
    readonly pointer: string,
    readonly draft: Draft,
  ) {}

  get location(): string {
    return `file:///values.schema.json#${this.pointer}`;
  }
}

/** A schema that cannot be used, in the words of Helm's library. */
export class SchemaError extends Error {}
