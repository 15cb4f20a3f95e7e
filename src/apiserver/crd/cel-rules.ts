import { compareText } from '../../model/go/index.js';
import { isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { CelRule, Schema } from '../../model/kubernetes/index.js';
import {
  CelFailure,
  CelIssue,
  compileCel,
  type CelProgram,
  optionalOf,
  type CelType,
  Optional,
  fromJson,
  type CelValue,
} from '../cel/index.js';
import { duplicateField, forbiddenField, invalidField, requiredField, type FieldError } from '../errors/index.js';
import { celTypeOf } from './cel-types.js';
import { Correlation, pairedItem } from './correlation.js';
import { followPath } from './rule-field-path.js';
import { joinPath } from './value-result.js';

/** Limits of the real server: one rule, and all rules of one object. */
const RULE_BUDGET = 1_000_000;
const OBJECT_BUDGET = 10_000_000;
const MAX_MESSAGE = 5 * 1024;

interface Rule {
  readonly source: CelRule;
  readonly program: CelProgram | CelIssue;
  readonly message: CelProgram | CelIssue | undefined;
  readonly usesOld: boolean;
  /** The normal form of fieldPath. */
  readonly field: string;
}

/** Rules of a schema node and of everything below it; nodes without any rule are left out. */
export interface RuleNode {
  readonly schema: Schema;
  readonly type: CelType;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** The variables of a rule: self, and oldSelf as the rule wants it. */
export function ruleVariables(type: CelType): {
  readonly plain: ReadonlyMap<string, CelType>;
  readonly optional: ReadonlyMap<string, CelType>;
} {
  return {
    plain: new Map([
      ['self', type],
      ['oldSelf', type],
    ]),
    optional: new Map([
      ['self', type],
      ['oldSelf', optionalOf(type)],
    ]),
  };
}

/** Compiles all rules of a schema, or undefined where it has none. */
export function compileRules(schema: Schema, isResource: boolean): RuleNode | undefined {
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of schema.properties ?? []) {
    const node = compileRules(property, property.embeddedResource === true);
    if (node !== undefined) properties.set(name, node);
  }
  const additionalSchema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const additional =
    additionalSchema === undefined
      ? undefined
      : compileRules(additionalSchema, additionalSchema.embeddedResource === true);
  const items =
    schema.items === undefined ? undefined : compileRules(schema.items, schema.items.embeddedResource === true);
  const sources = (schema.celRules ?? []).filter(({ rule }) => rule.trim() !== '');
  if (sources.length + properties.size === 0 && additional === undefined && items === undefined) return undefined;
  // Only now: most schemas have no rule, and the type of a large one takes long.
  const type = celTypeOf(schema, isResource);
  if (type === undefined) return undefined;
  const variables = ruleVariables(type);
  const rules = sources.map((source) => compileRule(source, schema, variables));
  return { schema, type, rules, properties, additional, items };
}

function compileRule(source: CelRule, schema: Schema, variables: ReturnType<typeof ruleVariables>): Rule {
  const known = source.optionalOldSelf === true ? variables.optional : variables.plain;
  const program = compileCel(source.rule, { variables: known });
  const followed =
    source.fieldPath === undefined ? undefined : followPath(source.fieldPath, schema, { brackets: true });
  return {
    source,
    program,
    message:
      source.messageExpression === undefined ? undefined : compileCel(source.messageExpression, { variables: known }),
    usesOld: !(program instanceof CelIssue) && program.uses.has('oldSelf'),
    field: followed === undefined || 'error' in followed ? '' : followed.path,
  };
}

/** A value with its place: what it replaces, and whether it is forgiven because nothing changed. */
interface Place {
  readonly path: string;
  readonly old: Json | undefined;
  readonly pair: Correlation | undefined;
  /** The nearest pairable ancestor, which decides where this value cannot be paired itself. */
  readonly ancestor: Correlation | undefined;
}

export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  /** Failures that are forgiven because the value did not change; returned as warnings. */
  readonly warnings: readonly string[];
}

/**
 * Runs all rules over a value. One budget covers them all: when it is spent, the rest is not run and that is an error.
 */
export function runRules(
  node: RuleNode,
  value: Json,
  options: { readonly base?: string; readonly old?: Json | undefined; readonly ratchet?: boolean } = {},
): RuleOutcome {
  const run = new RuleRun();
  const pair = options.ratchet === true ? new Correlation(value, options.old, node.schema) : undefined;
  run.visit(node, value, { path: options.base ?? '', old: options.old, pair, ancestor: undefined });
  return { errors: run.errors, warnings: run.warnings };
}

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #left = OBJECT_BUDGET;

  visit(node: RuleNode, value: Json, place: Place): void {
    if (value === null || this.#left < 0) return;
    this.#runHere(node, value, place);
    if (Array.isArray(value)) this.#visitItems(node, value, place);
    else if (isObject(value)) this.#visitMembers(node, value, place);
  }

  #visitItems(node: RuleNode, value: JsonArray, place: Place): void {
    if (node.items === undefined) return;
    const old = Array.isArray(place.old) ? place.old : [];
    for (const [index, item] of value.entries()) {
      const pair = place.pair?.index(index);
      this.visit(node.items, item, {
        path: `${place.path}[${index}]`,
        old: pairedItem(item, old, node.schema),
        pair,
        ancestor: place.pair ?? place.ancestor,
      });
    }
  }

  #visitMembers(node: RuleNode, value: JsonObject, place: Place): void {
    const old = isObject(place.old) ? place.old : {};
    for (const name of Object.keys(value).sort(compareText)) {
      const property = node.schema.properties?.has(name) === true;
      const inner = property ? node.properties.get(name) : node.additional;
      const member = own(value, name);
      if (inner === undefined || member === undefined) continue;
      const path = property ? joinPath(place.path, name) : `${place.path}[${name}]`;
      this.visit(inner, member, {
        path,
        old: own(old, name),
        pair: place.pair?.key(name),
        ancestor: place.pair ?? place.ancestor,
      });
    }
  }

  #runHere(node: RuleNode, value: Json, place: Place): void {
    if (node.rules.length === 0) return;
    const self = fromJson(value, node.type);
    const old = place.old === undefined || place.old === null ? undefined : fromJson(place.old, node.type);
    for (const rule of node.rules) {
      if (this.#left < 0) return;
      const optional = rule.source.optionalOldSelf === true;
      if (rule.usesOld && !optional && old === undefined) continue;
      const variables = new Map<string, CelValue>([['self', self]]);
      if (optional) variables.set('oldSelf', new Optional(old));
      else if (old !== undefined) variables.set('oldSelf', old);
      this.#runRule(rule, variables, node.schema.type ?? '', place);
    }
  }

  #runRule(rule: Rule, variables: ReadonlyMap<string, CelValue>, type: string, place: Place): void {
    const field = joinPath(place.path, '');
    if (rule.program instanceof CelIssue) {
      this.errors.push(invalidField(field, type, `rule compile error: compilation failed: ${rule.program.message}`));
      return;
    }
    const { result, spent } = rule.program.run(variables, Math.min(RULE_BUDGET, this.#left));
    this.#left -= spent;
    const ruleText = (rule.source.message ?? rule.source.rule).trim();
    if (result instanceof CelFailure) this.#evaluationFailed(result, ruleText, field, type);
    else if (result !== true) this.#violated(rule, variables, type, place);
  }

  #evaluationFailed(failure: CelFailure, ruleText: string, field: string, type: string): void {
    if (failure.overBudget) {
      this.#left = -1;
      this.errors.push(
        invalidField(
          field,
          type,
          `'${failure.message}': no further validation rules will be run due to call cost exceeds limit for ` +
            `rule: ${ruleText}`,
        ),
      );
    } else if (failure.message.startsWith('no such overload')) {
      this.errors.push(
        invalidField(
          field,
          type,
          `'${failure.message}': call arguments did not match a supported operator, function or macro ` +
            `signature for rule: ${ruleText}`,
        ),
      );
    } else this.errors.push(invalidField(field, type, `${failure.message} evaluating rule: ${ruleText}`));
  }

  #violated(rule: Rule, variables: ReadonlyMap<string, CelValue>, type: string, place: Place): void {
    const message =
      this.#message(rule, variables) ?? rule.source.message?.trim() ?? `failed rule: ${rule.source.rule.trim()}`;
    const error = errorFor(rule.source.reason, joinPath(place.path, rule.field), type, message);
    const unchanged = place.pair === undefined ? place.ancestor?.unchanged === true : place.pair.unchanged;
    if (!rule.usesOld && unchanged) this.warnings.push(`${error.field}: ${error.detail}`);
    else this.errors.push(error);
  }

  /** The text of messageExpression; undefined where it fails or gives nothing usable. */
  #message(rule: Rule, variables: ReadonlyMap<string, CelValue>): string | undefined {
    if (rule.message === undefined || rule.message instanceof CelIssue || this.#left < 0) return undefined;
    const { result, spent } = rule.message.run(variables, Math.min(RULE_BUDGET, this.#left));
    this.#left -= spent;
    if (typeof result !== 'string') return undefined;
    const message = result.trim();
    return message === '' || message.includes('\n') || Buffer.byteLength(message) > MAX_MESSAGE ? undefined : message;
  }
}

function errorFor(reason: string | undefined, field: string, type: string, message: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, message);
    case 'FieldValueRequired':
      return requiredField(field, message);
    case 'FieldValueDuplicate':
      return duplicateField(field, type);
    default:
      return invalidField(field, type, message);
  }
}
