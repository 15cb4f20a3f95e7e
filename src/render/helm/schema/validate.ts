import { compareText, quoteGo } from '../../../model/go/index.js';
import type { Json } from '../../../model/json/index.js';
import { entryOf, GoScalar, type GoValue } from '../template/value/go-value.js';
import { isTable } from '../values/table.js';
import type { Check, Unevaluated } from './check.js';
import { checkFormat } from './formats.js';
import { checkItems } from './items.js';
import { checkNumber, checkText } from './limits.js';
import { localNumber, quote, type ValidationError } from './validation-error.js';
import { checkProperties } from './properties.js';
import { numberOf, sameValue } from './same-value.js';
import type { Schema } from './schema.js';

/** The schemas that lead to the one being asked; those of one value share `value`. */
interface Scope {
  readonly schema: Schema;
  /** `$ref` or the like, where the way here was a reference. */
  readonly keyword: string;
  readonly value: object;
  readonly parent: Scope | undefined;
}

/** Schemas can ask the same question over and over; an honest one needs some thousand steps. */
const MAX_STEPS = 1_000_000;

export class BudgetError extends Error {}

class RunningCheck implements Check {
  readonly problems: ValidationError[] = [];
  readonly left: Unevaluated;

  constructor(
    readonly schema: Schema,
    readonly value: GoValue,
    readonly at: readonly string[],
    readonly scope: Scope,
    readonly budget: { steps: number },
    wants: boolean,
  ) {
    this.left = unevaluatedOf(schema, value, wants);
  }

  add(text: string, causes: readonly ValidationError[] = []): void {
    this.problems.push({ at: this.at, text, kind: 'fact', causes });
  }

  addAll(problem: ValidationError | undefined): void {
    if (problem !== undefined) this.problems.push(problem);
  }

  part(schema: Schema, value: GoValue, token: string): ValidationError | undefined {
    return run(
      new RunningCheck(
        schema,
        value,
        [...this.at, token],
        { schema, keyword: '', value: {}, parent: this.scope },
        this.budget,
        false,
      ),
    );
  }

  self(schema: Schema, keyword = ''): ValidationError | undefined {
    const wants = this.left.properties.size > 0 || this.left.items.size > 0;
    const check = new RunningCheck(
      schema,
      this.value,
      this.at,
      { schema, keyword, value: this.scope.value, parent: this.scope },
      this.budget,
      wants,
    );
    const problem = run(check);
    if (problem === undefined) {
      for (const name of this.left.properties) if (!check.left.properties.has(name)) this.left.properties.delete(name);
      for (const index of this.left.items) if (!check.left.items.has(index)) this.left.items.delete(index);
    }
    return problem;
  }

  apart(schema: Schema, value: GoValue): readonly ValidationError[] {
    return causesOf(
      run(
        new RunningCheck(schema, value, [], { schema, keyword: '', value: {}, parent: undefined }, this.budget, false),
      ),
    );
  }
}

/** What is wrong with a value; empty if nothing. */
export function validate(schema: Schema, value: GoValue): readonly ValidationError[] {
  return causesOf(
    run(
      new RunningCheck(schema, value, [], { schema, keyword: '', value: {}, parent: undefined }, { steps: 0 }, false),
    ),
  );
}

function causesOf(problem: ValidationError | undefined): readonly ValidationError[] {
  if (problem === undefined) return [];
  return problem.kind === 'group' ? problem.causes : [problem];
}

function run(check: RunningCheck): ValidationError | undefined {
  if (++check.budget.steps > MAX_STEPS) throw new BudgetError();
  const { schema, problems } = check;
  if (schema.flag !== undefined) return schema.flag ? undefined : fact(check, 'false schema');
  const outer = cycle(check.scope);
  const first = outer === undefined ? whole(check) : circular(check, wayTo(check.scope), wayTo(outer), schema);
  if (first !== undefined) return first;
  if (schema.ref !== undefined) {
    const problem = referred(check, schema.ref, '$ref');
    if (schema.draft < 2019) return problem;
    check.addAll(problem);
  }
  byKind(check);
  if (schema.draft >= 2019) dynamicReferences(check);
  combined(check);
  if (schema.draft >= 2019) unevaluated(check);
  if (problems.length < 2) return problems[0];
  return { at: check.at, text: 'validation failed', kind: 'group', causes: problems };
}

function fact(check: RunningCheck, text: string): ValidationError {
  return { at: check.at, text, kind: 'fact', causes: [] };
}

/** The same schema asked about the same value before. */
function cycle(scope: Scope): Scope | undefined {
  for (let outer = scope.parent; outer?.value === scope.value; outer = outer.parent)
    if (outer.schema === scope.schema) return outer;
  return undefined;
}

function circular(check: RunningCheck, one: string, other: string, schema: Schema): ValidationError {
  return fact(check, `both ${one} and ${other} resolve to ${quoteGo(schema.location)} causing reference cycle`);
}

/** Keywords from the root of the schema to here, references by their name. */
function wayTo(scope: Scope): string {
  let way = '';
  for (let at = scope; at.parent !== undefined; at = at.parent) {
    way = (at.keyword === '' ? at.schema.location.slice(at.parent.schema.location.length) : `/${at.keyword}`) + way;
  }
  return way;
}

/** Type, constant, choice and format: where one fails nothing else is asked. */
function whole(check: RunningCheck): ValidationError | undefined {
  const { schema, value } = check;
  const kind = kindOf(value);
  const { types } = schema;
  if (types.size > 0 && !types.has(kind) && !(types.has('integer') && kind === 'number' && isWhole(value))) {
    return fact(check, `got ${kind}, want ${TYPES.filter((type) => types.has(type)).join(' or ')}`);
  }
  if (schema.constant !== undefined && !sameValue(value, schema.constant.value)) {
    const wanted = schema.constant.value;
    return fact(
      check,
      typeof wanted === 'object' && wanted !== null ? "'const' failed" : `value must be ${display(wanted)}`,
    );
  }
  if (schema.choices?.some((choice) => sameValue(value, choice)) === false)
    return fact(check, choiceText(schema.choices));
  if (schema.format === '' || typeof value !== 'string') return undefined;
  const problem = checkFormat(schema.format, value);
  return problem === undefined ? undefined : fact(check, `${quote(value)} is not valid ${schema.format}: ${problem}`);
}

const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

function kindOf(value: GoValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof GoScalar) return kindOf(value.value);
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function isWhole(value: GoValue): boolean {
  const number = numberOf(value);
  return typeof number === 'bigint' || Number.isInteger(number);
}

function choiceText(choices: readonly Json[]): string {
  if (choices.some((choice) => typeof choice === 'object' && choice !== null)) return "'enum' failed";
  return `value must be ${choices.length === 1 ? '' : 'one of '}${choices.map(display).join(', ')}`;
}

function display(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return '<nil>';
  return typeof value === 'object' ? 'value' : String(value);
}

function byKind(check: RunningCheck): void {
  const { value } = check;
  const number = numberOf(value);
  if (number !== undefined) checkNumber(check, number);
  else if (typeof value === 'string') checkText(check, value);
  else if (Array.isArray(value)) checkItems(check, value);
  else if (isTable(value)) checkProperties(check, value);
}

/** References in a row count as the last one: their chains may be long. */
function referred(check: RunningCheck, target: Schema, keyword: string): ValidationError | undefined {
  const seen = new Set<Schema>();
  let schema = target;
  while (schema.flag === undefined && schema.draft < 2019 && schema.ref !== undefined) {
    if (seen.has(schema)) return circular(check, `${wayTo(check.scope)}/${keyword}`, wayTo(check.scope), schema);
    seen.add(schema);
    schema = schema.ref;
  }
  const problem = check.self(schema, keyword);
  if (problem === undefined) return undefined;
  return { at: check.at, text: 'validation failed', kind: 'reference', causes: causesOf(problem) };
}

function dynamicReferences(check: RunningCheck): void {
  const { recursiveRef, dynamicRef } = check.schema;
  if (recursiveRef !== undefined) {
    const pick = (resource: Schema): Schema | undefined => (resource.recursiveAnchor ? resource : undefined);
    check.addAll(
      referred(
        check,
        recursiveRef.recursiveAnchor ? (outermost(check.scope, pick) ?? recursiveRef) : recursiveRef,
        '$recursiveRef',
      ),
    );
  }
  if (dynamicRef !== undefined) {
    const { target, anchor } = dynamicRef;
    const isDynamic = anchor !== '' && target.dynamicAnchor === anchor;
    check.addAll(
      referred(
        check,
        isDynamic ? (outermost(check.scope, (resource) => resource.dynamicAnchors.get(anchor)) ?? target) : target,
        '$dynamicRef',
      ),
    );
  }
}

function outermost(scope: Scope, pick: (resource: Schema) => Schema | undefined): Schema | undefined {
  let found: Schema | undefined;
  for (let outer: Scope | undefined = scope; outer !== undefined; outer = outer.parent)
    found = pick(outer.schema.resource) ?? found;
  return found;
}

function combined(check: RunningCheck): void {
  const { schema } = check;
  if (schema.not !== undefined && check.self(schema.not) === undefined) check.add("'not' failed");
  const all = schema.allOf.map((one) => check.self(one)).filter((problem) => problem !== undefined);
  if (all.length > 0) check.add("'allOf' failed", all);
  if (schema.anyOf.length > 0) anyOf(check);
  if (schema.oneOf.length > 0) oneOf(check);
  if (schema.if !== undefined) {
    const branch = check.self(schema.if) === undefined ? schema.then : schema.else;
    if (branch !== undefined) check.addAll(check.self(branch));
  }
}

function anyOf(check: RunningCheck): void {
  const problems: ValidationError[] = [];
  let isMatched = false;
  for (const one of check.schema.anyOf) {
    const problem = check.self(one);
    if (problem !== undefined) problems.push(problem);
    else {
      isMatched = true;
      // Only who asks for what is left over needs to know of all that match.
      if (check.left.properties.size === 0 && check.left.items.size === 0) return;
    }
  }
  if (!isMatched) check.add("'anyOf' failed", problems);
}

function oneOf(check: RunningCheck): void {
  const problems: ValidationError[] = [];
  let matched: number | undefined;
  for (const [index, one] of check.schema.oneOf.entries()) {
    const problem = check.self(one);
    if (problem !== undefined) problems.push(problem);
    else if (matched === undefined) matched = index;
    else return check.add(`'oneOf' failed, subschemas ${localNumber(matched)}, ${localNumber(index)} matched`);
  }
  if (matched === undefined) check.add("'oneOf' failed, none matched", problems);
}

function unevaluatedOf(schema: Schema, value: GoValue, wants: boolean): Unevaluated {
  const left: Unevaluated = { properties: new Set(), items: new Set() };
  if (isTable(value)) {
    if (schema.additionalProperties === undefined && (wants || schema.unevaluatedProperties !== undefined)) {
      for (const key of Object.keys(value)) left.properties.add(key);
    }
  } else if (
    Array.isArray(value) &&
    schema.otherItems === undefined &&
    (wants || schema.unevaluatedItems !== undefined)
  ) {
    for (let index = schema.firstItems.length; index < value.length; index++) left.items.add(index);
  }
  return left;
}

function unevaluated(check: RunningCheck): void {
  const { schema, value, left } = check;
  if (schema.unevaluatedProperties !== undefined && isTable(value)) {
    for (const name of [...left.properties].sort(compareText))
      check.addAll(check.part(schema.unevaluatedProperties, entryOf(value, name) ?? null, name));
    left.properties.clear();
  }
  if (schema.unevaluatedItems !== undefined && Array.isArray(value)) {
    for (const index of left.items)
      check.addAll(check.part(schema.unevaluatedItems, value[index] ?? null, String(index)));
    left.items.clear();
  }
}
