import { clone, equal, type JsonObject } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';
import type { FieldError } from '../errors/index.js';
import { compileRules, runRules } from './cel-rules.js';
import { compileSchema } from './compile-schema.js';
import { validateEmbedded } from './embedded-resources.js';
import { goJson } from './internal-json.js';
import { prune } from './pruning.js';
import { validateValue } from './validate-value.js';

/** Default values must have no unknown fields and must themselves be valid. */
export function validateDefaults(schema: JsonObject, path: string): FieldError[] {
  return visit(compileSchema(schema), path, true);
}

function visit(schema: Schema, path: string, root: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.default !== undefined) errors.push(...valueErrors(schema, `${path}.default`, root));
  if (schema.items !== undefined) errors.push(...visit(schema.items, `${path}.items`, false));
  for (const [name, property] of schema.properties ?? [])
    errors.push(...visit(property, `${path}.properties[${name}]`, false));
  return errors;
}

function valueErrors(schema: Schema, path: string, root: boolean): FieldError[] {
  const value = schema.default ?? null;
  const errors: FieldError[] = [];
  const pruned = clone(value);
  prune(pruned, schema, { resource: root || schema.embeddedResource === true });
  if (!equal(pruned, value))
    errors.push({
      field: path,
      type: 'FieldValueInvalid',
      detail: `Invalid value: ${goJson(value)}: must not have unknown fields`,
    });
  const embedded = validateEmbedded(value, schema, path);
  if (embedded.length > 0) return [...errors, ...embedded];
  const invalid = validateValue(value, schema, { base: path });
  if (invalid.length > 0) return [...errors, ...invalid];
  const rules = compileRules(schema, root || schema.embeddedResource === true);
  return rules === undefined ? errors : [...errors, ...runRules(rules, value, { base: path, old: value }).errors];
}
