import { isArray } from '../../../model/json/index.js';
import type { Analysis, Outcome } from './analysis.js';
import { allowedValues } from './schema-step.js';
import type { Fact, State } from './state.js';
import { literal, type Literal, type Place, type Value } from './value.js';

export interface Decision {
  readonly state: State;
  readonly truth: boolean;
}

/** Whether a value counts as true: one answer, or both with what each would mean. */
export function decide({ state, value }: Outcome, analysis: Analysis): Decision[] {
  if (value.kind === 'nil') return [{ state, truth: false }];
  if (value.kind === 'literal') return [{ state, truth: value.value !== false }];
  if (value.kind !== 'place') return [{ state, truth: true }];
  const { place } = value;
  noteNilTest(place, analysis);
  const fact = state.facts.get(place.key);
  const known = knownTruth(fact);
  if (known !== undefined) return [{ state, truth: known }];
  const absent: Fact = mayBeFalse(place, fact) ? { truthy: false } : { truthy: false, nil: true };
  return [
    { state: state.withFact(place.key, { truthy: true, nil: false }), truth: true },
    { state: state.withFact(place.key, absent), truth: false },
  ];
}

function knownTruth(fact: Fact | undefined): boolean | undefined {
  if (fact === undefined) return undefined;
  if (fact.nil === true) return false;
  if (fact.equals !== undefined) return fact.equals !== false;
  return fact.truthy;
}

function mayBeFalse(place: Place, fact: Fact | undefined): boolean {
  if (fact?.nil === false) return true;
  const type = place.schema?.type;
  return type === undefined || type === 'boolean';
}

function noteNilTest(place: Place, analysis: Analysis): void {
  if (place.path !== undefined) analysis.nilTested.add(place.path.join('.'));
}

/** `left == right`, with what each answer would mean. */
export function equality(left: Value, right: Value, state: State, analysis: Analysis): Decision[] {
  if (left.kind !== 'place' && right.kind === 'place') return equality(right, left, state, analysis);
  if (left.kind === 'place') {
    if (right.kind === 'nil') return isNil(left.place, state, analysis);
    if (right.kind === 'literal') return equalsLiteral(left.place, right.value, state);
    if (right.kind === 'place') return samePlace(left.place, right.place, state);
    return forked(left.place, `==${right.kind}`, state);
  }
  if (left.kind === 'text' || right.kind === 'text') return withText(left, right, state);
  return [{ state, truth: sameValue(left, right) }];
}

function withText(left: Value, right: Value, state: State): Decision[] {
  const other = left.kind === 'text' ? right : left;
  const mayBeEqual = other.kind === 'text' || (other.kind === 'literal' && typeof other.value === 'string');
  return mayBeEqual
    ? [
        { state, truth: true },
        { state, truth: false },
      ]
    : [{ state, truth: false }];
}

function sameValue(left: Value, right: Value): boolean {
  if (left.kind === 'nil' || right.kind === 'nil') return left.kind === right.kind;
  if (left.kind === 'literal' && right.kind === 'literal') return left.value === right.value;
  if (left.kind === 'table' && right.kind === 'table') return left.id === right.id;
  if (left.kind === 'function' && right.kind === 'function') return left.node === right.node;
  return left.kind === 'builtin' && right.kind === 'builtin' && left.name === right.name;
}

/** Whether a place is nil; tells the analysis that the script has thought of it. */
export function isNil(place: Place, state: State, analysis: Analysis): Decision[] {
  noteNilTest(place, analysis);
  const fact = state.facts.get(place.key);
  if (fact?.nil !== undefined) return [{ state, truth: fact.nil }];
  if (fact?.equals !== undefined || fact?.truthy === true) return [{ state, truth: false }];
  return [
    { state: state.withFact(place.key, { nil: true, truthy: false }), truth: true },
    { state: state.withFact(place.key, { nil: false }), truth: false },
  ];
}

function equalsLiteral(place: Place, value: Literal, state: State): Decision[] {
  const fact = state.facts.get(place.key);
  if (fact?.equals !== undefined) return [{ state, truth: fact.equals === value }];
  if (fact?.nil === true || fact?.differs?.has(value) === true) return [{ state, truth: false }];
  if (fact?.truthy === false && value !== false) return [{ state, truth: false }];
  const same = {
    state: state.withFact(place.key, { equals: value, nil: false, truthy: value !== false }),
    truth: true,
  };
  const differs = new Set(fact?.differs).add(value);
  // Once every allowed value is ruled out, only absence is left.
  const isExhausted = allowedValues(place.schema)?.every((allowed) => differs.has(allowed as Literal)) === true;
  if (isExhausted && (fact?.nil === false || place.absence === 'never')) return [same];
  return [same, { state: state.withFact(place.key, isExhausted ? { differs, nil: true } : { differs }), truth: false }];
}

function samePlace(left: Place, right: Place, state: State): Decision[] {
  if (left.key === right.key) return [{ state, truth: true }];
  const known = state.facts.get(left.key)?.tests?.get(`==${right.key}`);
  if (known !== undefined) return [{ state, truth: known }];
  const [a, b] = [state.facts.get(left.key), state.facts.get(right.key)];
  if (a?.nil === true && b?.nil === true) return [{ state, truth: true }];
  if (a?.equals !== undefined && b?.equals !== undefined) return [{ state, truth: a.equals === b.equals }];
  let same = withTest(left, `==${right.key}`, true, state);
  if (isThere(left, state)) same = same.withFact(right.key, { nil: false });
  if (isThere(right, state)) same = same.withFact(left.key, { nil: false });
  return [
    { state: same, truth: true },
    { state: withTest(left, `==${right.key}`, false, state), truth: false },
  ];
}

function isThere(place: Place, state: State): boolean {
  return place.absence === 'never' || state.facts.get(place.key)?.nil === false;
}

function withTest(place: Place, test: string, outcome: boolean, state: State): State {
  const tests = new Map(state.facts.get(place.key)?.tests).set(test, outcome);
  return state.withFact(place.key, { tests });
}

/** Either answer, and the same one when the script asks again. */
function forked(place: Place, test: string, state: State): Decision[] {
  const known = state.facts.get(place.key)?.tests?.get(test);
  if (known !== undefined) return [{ state, truth: known }];
  return [true, false].map((truth) => ({ state: withTest(place, test, truth, state), truth }));
}

const MIRRORED: Record<string, string> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** `left < right` and its relatives; both sides are known to be there. */
export function ordering(operator: string, left: Value, right: Value, state: State): Decision[] {
  if (left.kind === 'literal' && right.kind === 'literal')
    return [{ state, truth: orderLiterals(operator, left.value, right.value) }];
  if (left.kind === 'place') {
    const fact = state.facts.get(left.place.key);
    if (right.kind === 'literal') {
      const known = knownOrder(operator, fact, right.value);
      if (known !== undefined) return [{ state, truth: known }];
    }
    return forked(left.place, operator + comparedWith(right), state);
  }
  if (right.kind === 'place') return ordering(MIRRORED[operator] ?? operator, right, left, state);
  return [
    { state, truth: true },
    { state, truth: false },
  ];
}

function comparedWith(right: Value): string {
  if (right.kind === 'place') return right.place.key;
  return right.kind === 'literal' ? String(right.value) : right.kind;
}

function knownOrder(operator: string, fact: Fact | undefined, value: Literal): boolean | undefined {
  if (fact?.equals !== undefined) return orderLiterals(operator, fact.equals, value);
  // Lengths and counters: not 0 is the same as above 0.
  if (value === 0 && fact?.differs?.has(0) === true && (operator === '>' || operator === '<=')) return operator === '>';
  return undefined;
}

function orderLiterals(operator: string, left: Literal, right: Literal): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}

/** What the script has learned about the length of a list. */
export function emptiness(key: string, state: State): 'empty' | 'filled' | undefined {
  const fact = state.facts.get(`#${key}`);
  if (fact === undefined) return undefined;
  const { equals, differs, tests } = fact;
  if (equals === 0 || tests?.get('>0') === false || tests?.get('<1') === true || tests?.get('>=1') === false)
    return 'empty';
  const isFilled =
    (typeof equals === 'number' && equals > 0) ||
    differs?.has(0) === true ||
    ['>0', '>=1'].some((test) => tests?.get(test) === true) ||
    ['<1', '<=0'].some((test) => tests?.get(test) === false);
  return isFilled ? 'filled' : undefined;
}

/** Decisions as the values of an expression. */
export function asOutcomes(decisions: readonly Decision[]): Outcome[] {
  return decisions.map(({ state, truth }) => ({ state, value: literal(truth) }));
}

/** Literals a schema allows, as text for a message. */
export function listAllowed(values: readonly unknown[]): string {
  const words = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return isArray(words) && words.length > 1
    ? `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
    : words.join('');
}
