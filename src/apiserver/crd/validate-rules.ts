import type { JsonObject } from '../../model/json/index.js';
import { invalidField, requiredField, unsupportedField, type FieldError } from '../errors/index.js';
import { CelIssue, compileCel } from '../cel/index.js';
import { celTypeOf } from './cel-types.js';
import { ruleVariables } from './cel-rules.js';
import { compileSchema, readRule } from './compile-schema.js';
import { text } from './crd.js';
import { goJson, ruleJson } from './internal-json.js';
import { followPath } from './rule-field-path.js';
import type { SchemaErrors, SchemaPlace } from './schema-place.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/**
 * The rules of x-kubernetes-validations on one node: their form, and, where nothing at or below the node is wrong
 * otherwise, whether they compile against the node's type.
 */
export function validateRules(
  schema: JsonObject,
  rules: readonly JsonObject[],
  place: SchemaPlace,
  errors: SchemaErrors,
  before: number,
): void {
  rules.forEach((rule, index) =>
    errors.schema.push(...formErrors(schema, rule, `${place.path}.x-kubernetes-validations[${index}]`)),
  );
  if (errors.schema.length > before || !place.rules) return;
  const compiled = compileSchema(schema);
  const type = celTypeOf(compiled, place.root || compiled.embeddedResource === true);
  if (type === undefined) {
    errors.cel.push({
      field: `${place.path}.x-kubernetes-validations`,
      type: 'InternalError',
      detail: 'Internal error: internal error: failed to retrieve type information for x-kubernetes-validations',
    });
    return;
  }
  const variables = ruleVariables(type);
  rules.forEach((rule, index) =>
    errors.cel.push(...compileErrors(rule, variables, place, `${place.path}.x-kubernetes-validations[${index}]`)),
  );
}

function formErrors(schema: JsonObject, rule: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const message = text(rule.message);
  const expression = text(rule.messageExpression);
  const fieldPath = text(rule.fieldPath);
  if (text(rule.rule).trim() === '') errors.push(requiredField(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(invalidField(`${path}.message`, message, 'must be non-empty if specified'));
  else if (LINE_BREAK.test(message.trim()))
    errors.push(invalidField(`${path}.message`, message, 'must not contain line breaks'));
  else if (LINE_BREAK.test(text(rule.rule).trim()) && message.trim() === '')
    errors.push(requiredField(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (expression !== '' && expression.trim() === '')
    errors.push(requiredField(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (typeof rule.reason === 'string' && !REASONS.includes(rule.reason))
    errors.push(unsupportedField(`${path}.reason`, rule.reason, REASONS));
  if (fieldPath === '') return errors;
  if (fieldPath.trim() === '')
    errors.push(invalidField(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (LINE_BREAK.test(fieldPath))
    errors.push(invalidField(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if ('error' in followPath(fieldPath, compileSchema(schema), { brackets: true }))
    errors.push(invalidField(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}

function compileErrors(
  json: JsonObject,
  variables: ReturnType<typeof ruleVariables>,
  place: SchemaPlace,
  path: string,
): FieldError[] {
  const rule = readRule(json);
  const known = rule.optionalOldSelf === true ? variables.optional : variables.plain;
  const wrong = (field: string, why: string): FieldError => ({
    field: `${path}.${field}`,
    type: 'FieldValueInvalid',
    detail: `Invalid value: ${goJson(ruleJson(json))}: ${why}`,
  });
  const program = compileCel(rule.rule, { variables: known });
  if (program instanceof CelIssue)
    return [wrong('rule', `compilation failed: ${program.message}`), ...optionalUnused(rule.optionalOldSelf, path)];
  const errors: FieldError[] = [];
  if (program.type.kind !== 'bool') errors.push(wrong('rule', 'cel expression must evaluate to a bool'));
  if (errors.length === 0 && rule.messageExpression !== undefined) {
    const message = compileCel(rule.messageExpression, { variables: known });
    if (message instanceof CelIssue)
      errors.push(wrong('messageExpression', `messageExpression compilation failed: ${message.message}`));
    else if (message.type.kind !== 'string')
      errors.push(wrong('messageExpression', 'messageExpression must evaluate to a string'));
  }
  if (!program.uses.has('oldSelf')) errors.push(...optionalUnused(rule.optionalOldSelf, path));
  else if (place.unpaired !== undefined) {
    errors.push(
      invalidField(
        `${path}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.unpaired}`,
      ),
    );
  }
  return errors;
}

function optionalUnused(optional: boolean | undefined, path: string): FieldError[] {
  return optional === undefined
    ? []
    : [invalidField(`${path}.optionalOldSelf`, optional, 'may not be set if oldSelf is not used in rule')];
}
