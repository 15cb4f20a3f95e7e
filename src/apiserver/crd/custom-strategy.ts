import { clone, equal, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject, Schema } from '../../model/kubernetes/index.js';
import { invalidField, type FieldError } from '../errors/index.js';
import type { Strategy } from '../resources/index.js';
import { compileRules, runRules, type RuleNode } from './cel-rules.js';
import type { CrdVersion } from './crd.js';
import { applyDefaults, dropStrayNulls } from './defaulting.js';
import { validateEmbedded } from './embedded-resources.js';
import { validateListTypes } from './list-types.js';
import { validateValue } from './validate-value.js';

const MAX_REPLICAS = 2 ** 31 - 1;

/** How objects of one version of a CRD live: defaults, status and generation, and everything its schema says. */
export function customStrategy(version: CrdVersion, schema: Schema): Strategy {
  const rules = compileRules(schema, true);
  const statusSchema = schema.properties?.get('status');
  const validator = new CustomValidator(schema, rules, version);
  return {
    generation: true,
    versionedUpdate: true,
    validatesUpdates: true,
    defaults(object) {
      dropStrayNulls(object, schema);
      applyDefaults(object, schema);
    },
    prepareCreate(object) {
      if (version.status) delete object['status'];
    },
    prepareUpdate(next, previous) {
      // Without a status endpoint every change outside of metadata is a new generation.
      if (!version.status && !equal(withoutMetadata(next), withoutMetadata(previous)))
        next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    },
    prepareStatusUpdate(next, previous) {
      const { managedFields, resourceVersion } = next.metadata;
      next.metadata = clone(previous.metadata);
      if (managedFields !== undefined) next.metadata.managedFields = managedFields;
      if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
    },
    validate: (object) => validator.create(object),
    validateUpdate: (next, previous) => validator.update(next, previous),
    validateStatusUpdate: (next, previous) => validator.status(next, previous, statusSchema),
    warnings: (object) => finalizerWarnings(object),
  };
}

function withoutMetadata(object: KubeObject): Json {
  const rest: JsonObject = { ...object };
  delete rest['metadata'];
  return rest;
}

/** Errors after which rules would only repeat them. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED: FieldError = invalidField(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to ' +
    'complete validation',
);

class CustomValidator {
  constructor(
    readonly schema: Schema,
    readonly rules: RuleNode | undefined,
    readonly version: CrdVersion,
  ) {}

  create(object: KubeObject): FieldError[] {
    const errors = [
      ...validateValue(object, this.schema),
      ...this.#replicas(object, true),
      ...validateEmbedded(object, this.schema),
      ...validateListTypes(object, this.schema),
    ];
    return this.#withRules(errors, object, undefined);
  }

  update(next: KubeObject, previous: KubeObject): FieldError[] {
    const errors = [
      ...validateValue(next, this.schema, { old: previous }),
      ...this.#replicas(next, true),
      ...validateEmbedded(next, this.schema),
    ];
    // Duplicates that are already there are tolerated.
    if (validateListTypes(previous, this.schema).length === 0) errors.push(...validateListTypes(next, this.schema));
    return this.#withRules(errors, next, previous);
  }

  status(next: KubeObject, previous: KubeObject, schema: Schema | undefined): FieldError[] {
    const status = next['status'];
    const old = previous['status'];
    const errors =
      schema === undefined || status === undefined
        ? []
        : validateValue(status, schema, { base: 'status', old: old ?? null });
    errors.push(...this.#replicas(next, false));
    if (validateListTypes(previous, this.schema).length === 0) errors.push(...validateListTypes(next, this.schema));
    return this.#withRules(errors, next, previous);
  }

  #withRules(errors: FieldError[], object: KubeObject, previous: KubeObject | undefined): FieldError[] {
    if (this.rules === undefined) return errors;
    if (errors.some(({ type }) => BLOCKING.has(type))) return [...errors, NOT_CHECKED];
    return [...errors, ...runRules(this.rules, object, { old: previous, ratchet: previous !== undefined }).errors];
  }

  /** The numbers behind the scale endpoint. */
  #replicas(object: KubeObject, spec: boolean): FieldError[] {
    const { scale } = this.version;
    if (scale === undefined) return [];
    const errors = spec ? checkReplicas(object, scale.specPath) : [];
    errors.push(...checkReplicas(object, scale.statusPath));
    const selector = scale.selectorPath === '' ? undefined : readPath(object, scale.selectorPath);
    if (selector !== undefined && typeof selector !== 'string') {
      errors.push(
        invalidField(
          scale.selectorPath,
          '',
          `${scale.selectorPath} accessor error: ${goText(selector)} is of the type ${goType(selector)}, ` +
            'expected string',
        ),
      );
    }
    return errors;
  }
}

function readPath(object: KubeObject, path: string): Json | undefined {
  return path
    .replace(/^\./, '')
    .split('.')
    .reduce<Json | undefined>((at, name) => (isObject(at) ? own(at, name) : undefined), object);
}

function checkReplicas(object: KubeObject, path: string): FieldError[] {
  const value = readPath(object, path);
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return [
      invalidField(path, 0, `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected int64`),
    ];
  }
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  return value > MAX_REPLICAS ? [invalidField(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
}

const goText = (value: Json): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'float64';
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Finalizers without a domain and a path may collide with those of others. */
function finalizerWarnings(object: KubeObject): string[] {
  return [...(object.metadata.finalizers ?? [])].sort().flatMap((name) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
    const path = name.includes('.') ? ' including a path (/)' : '';
    return [
      `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} to ` +
        'avoid accidental conflicts with other finalizer writers',
    ];
  });
}
