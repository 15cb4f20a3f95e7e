import { RE2JS } from 're2js';
import { equal, isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { elementsOf } from './path.js';
import { compilePath, EntryError, type Reader, type Scope } from './scope.js';

export type Test = (scope: Scope) => boolean;

/** The words that start a test; a rule holds at most one of them. */
const SUBJECTS = ['condition', 'field', 'size', 'sum', 'some', 'every', 'all', 'any', 'not'] as const;
const COMPARISONS = [
  'is',
  'isNot',
  'exists',
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'atLeast',
  'above',
  'atMost',
  'below',
] as const;
const CONDITION_WORDS = ['in', 'is', 'isNot', 'reason', 'reasonNot', 'says', 'stale'];

/** Every word that a test may hold. A rule holds the words of its test beside `then` and `message`. */
export const TEST_WORDS: ReadonlySet<string> = new Set([
  ...SUBJECTS,
  ...COMPARISONS,
  ...CONDITION_WORDS,
  'or',
  'where',
]);

/** The test that an object of the catalogue describes; undefined where it has no subject, which means always. */
export function compileTest(test: JsonObject, at: string): Test | undefined {
  const subjects = SUBJECTS.filter((word) => own(test, word) !== undefined);
  const [subject] = subjects;
  if (subject === undefined) return undefined;
  if (subjects.length > 1)
    throw new EntryError(
      at,
      `one test has one subject, here are ${subjects.join(' and ')}: join tests with all or any`,
    );
  switch (subject) {
    case 'condition':
      return conditionTest(test, at);
    case 'field':
      return valueTest(test, compilePath(requiredText(test, 'field', at), `${at}.field`), at);
    case 'size':
      return valueTest(
        test,
        test.where === undefined
          ? sizeReader(compilePath(requiredText(test, 'size', at), `${at}.size`))
          : countReader(test, at),
        at,
      );
    case 'sum':
      return valueTest(test, sumReader(test.sum, `${at}.sum`), at);
    case 'some':
    case 'every':
      return elementTest(test, subject, at);
    case 'all':
    case 'any':
      return joinedTest(test, subject, at);
    case 'not': {
      const inner = innerTest(test.not, `${at}.not`);
      return (scope) => !inner(scope);
    }
    default:
      return subject satisfies never;
  }
}

export function innerTest(test: Json | undefined, at: string): Test {
  if (!isObject(test)) throw new EntryError(at, 'must be a test, such as { condition: Ready, is: "True" }');
  const stranger = Object.keys(test).find((word) => !TEST_WORDS.has(word));
  if (stranger !== undefined)
    throw new EntryError(at, `${JSON.stringify(stranger)} is no word of a test: docs/catalogue.md lists them`);
  const compiled = compileTest(test, at);
  if (compiled === undefined) throw new EntryError(at, `has no subject: name one of ${SUBJECTS.join(', ')}`);
  return compiled;
}

/** The first condition of the given type (or types) that also has the status and reason asked for. */
function conditionTest(test: JsonObject, at: string): Test {
  const types = requiredTexts(test, 'condition', at);
  const list = compilePath(test.in === undefined ? 'status.conditions' : requiredText(test, 'in', at), `${at}.in`);
  const checks: ((condition: JsonObject, scope: Scope) => boolean)[] = [];
  const add = (word: string, field: string, wanted: boolean): void => {
    if (own(test, word) === undefined) return;
    const texts = requiredTexts(test, word, at);
    checks.push((condition) => texts.includes(statusText(own(condition, field))) === wanted);
  };
  add('is', 'status', true);
  add('isNot', 'status', false);
  add('reason', 'reason', true);
  add('reasonNot', 'reason', false);
  if (test.says !== undefined) {
    const pattern = compilePattern(requiredText(test, 'says', at), `${at}.says`);
    checks.push((condition) => typeof condition.message === 'string' && pattern.test(condition.message));
  }
  if (test.stale !== undefined)
    checks.push((condition, scope) => isStale(condition, scope.object) === (test.stale === true));
  return (scope) => {
    for (const condition of listOf(list(scope))) {
      if (
        !isObject(condition) ||
        !types.includes(statusText(condition.type)) ||
        !checks.every((check) => check(condition, scope))
      )
        continue;
      scope.condition = condition;
      scope.value = condition.status ?? '';
      return true;
    }
    return false;
  };
}

/** A list, also where it is kept as JSON text, as autoscaling/v1 keeps its conditions in an annotation. */
function listOf(value: Json | undefined): readonly Json[] {
  if (typeof value !== 'string') return isArray(value) ? value : [];
  try {
    const read = parseJson(value);
    return isArray(read) ? read : [];
  } catch {
    // Text that is no JSON holds no conditions; an entry that cares says so with `matches`.
    return [];
  }
}

/** Whether a condition speaks of an older generation than the object has. */
function isStale(condition: JsonObject, object: JsonObject): boolean {
  const generation = isObject(object.metadata) ? object.metadata.generation : undefined;
  return (
    typeof condition.observedGeneration === 'number' &&
    typeof generation === 'number' &&
    condition.observedGeneration !== generation
  );
}

function elementTest(test: JsonObject, subject: 'some' | 'every', at: string): Test {
  const list = elementsReader(own(test, subject), `${at}.${subject}`);
  const where = innerTest(test.where, `${at}.where`);
  return (scope) => {
    const elements = list(scope);
    const outer = { item: scope.item, key: scope.key };
    const holds = holdsFor(where, scope);
    if (subject === 'every') {
      const result = elements.length > 0 && elements.every(holds);
      Object.assign(scope, outer);
      return result;
    }
    const found = elements.filter(holds);
    const [first] = found;
    if (first === undefined) {
      Object.assign(scope, outer);
      return false;
    }
    // What some found stays for the message: the first with what its test left behind, and all of them.
    holds(first);
    scope.items = found.map(([, element]) => element);
    return true;
  };
}

/** The elements at one path or several. */
function elementsReader(paths: Json | undefined, at: string): (scope: Scope) => ReturnType<typeof elementsOf> {
  const readers = compilePaths(paths, at);
  return (scope) => readers.flatMap((read) => elementsOf(read(scope)));
}

function compilePaths(paths: Json | undefined, at: string): Reader[] {
  return (isArray(paths) ? paths : [paths]).map((path) => {
    if (typeof path !== 'string') throw new EntryError(at, 'must be a path, or a list of paths');
    return compilePath(path, at);
  });
}

function holdsFor(where: Test, scope: Scope): (element: readonly [string | number, Json]) => boolean {
  return ([key, element]) => {
    scope.item = element;
    scope.key = key;
    return where(scope);
  };
}

/** How many elements fulfil the test `where`. */
function countReader(test: JsonObject, at: string): Reader {
  const list = elementsReader(test.size, `${at}.size`);
  const where = innerTest(test.where, `${at}.where`);
  return (scope) => {
    const outer = { item: scope.item, key: scope.key };
    const count = list(scope).filter(holdsFor(where, scope)).length;
    Object.assign(scope, outer);
    return count;
  };
}

function joinedTest(test: JsonObject, subject: 'all' | 'any', at: string): Test {
  const list = own(test, subject);
  if (!isArray(list) || list.length === 0) throw new EntryError(`${at}.${subject}`, 'must be a list of tests');
  const tests = list.map((each, index) => innerTest(each, `${at}.${subject}[${index}]`));
  return subject === 'all'
    ? (scope) => tests.every((each) => each(scope))
    : (scope) => tests.some((each) => each(scope));
}

function sizeReader(read: Reader): Reader {
  return (scope) => {
    const value = read(scope);
    return typeof value === 'string' ? value.length : elementsOf(value).length;
  };
}

/** The numbers at one path or several, added up; what is missing adds nothing. */
function sumReader(paths: Json | undefined, at: string): Reader {
  const readers = compilePaths(paths, at);
  return (scope) =>
    readers.flatMap((read) => read(scope) ?? []).reduce<number>((sum, each) => sum + (numberOf(each) ?? 0), 0);
}

type Comparison = (value: Json | undefined, scope: Scope) => boolean;

function valueTest(test: JsonObject, read: Reader, at: string): Test {
  const comparisons = COMPARISONS.filter((word) => own(test, word) !== undefined).map((word) =>
    compileComparison(word, own(test, word) ?? null, `${at}.${word}`),
  );
  if (comparisons.length === 0) comparisons.push((value) => value !== undefined);
  const missing = test.or;
  return (scope) => {
    const value = read(scope) ?? missing ?? undefined;
    if (!comparisons.every((holds) => holds(value, scope))) return false;
    scope.value = value ?? '';
    return true;
  };
}

function compileComparison(word: (typeof COMPARISONS)[number], wanted: Json, at: string): Comparison {
  switch (word) {
    case 'is':
      return anyOf(wanted, at);
    case 'isNot': {
      const holds = anyOf(wanted, at);
      return (value, scope) => !holds(value, scope);
    }
    case 'exists':
      return (value) => (value !== undefined) === (wanted === true);
    case 'startsWith':
      return textComparison(wanted, at, (text, part) => text.startsWith(part));
    case 'endsWith':
      return textComparison(wanted, at, (text, part) => text.endsWith(part));
    case 'contains':
      return containsComparison(wanted, at);
    case 'matches': {
      if (typeof wanted !== 'string') throw new EntryError(at, 'must be a regular expression (RE2)');
      const pattern = compilePattern(wanted, at);
      return (value) => typeof value === 'string' && pattern.test(value);
    }
    case 'atLeast':
      return numberComparison(wanted, at, (a, b) => a >= b);
    case 'above':
      return numberComparison(wanted, at, (a, b) => a > b);
    case 'atMost':
      return numberComparison(wanted, at, (a, b) => a <= b);
    case 'below':
      return numberComparison(wanted, at, (a, b) => a < b);
    default:
      return word satisfies never;
  }
}

function compilePattern(text: string, at: string): { test(input: string): boolean } {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    throw new EntryError(
      at,
      `${JSON.stringify(text)} is no regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A literal, or `{ field: path, or: literal }`: the value of another field; or a size, or a sum. */
function operand(wanted: Json, at: string): Reader {
  if (!isObject(wanted)) return () => wanted;
  const read = operandReader(wanted, at);
  return (scope) => read(scope) ?? wanted.or ?? undefined;
}

function operandReader(wanted: JsonObject, at: string): Reader {
  if (wanted.size !== undefined) return sizeReader(compilePath(requiredText(wanted, 'size', at), at));
  if (wanted.sum !== undefined) return sumReader(wanted.sum, at);
  return compilePath(requiredText(wanted, 'field', at), at);
}

function anyOf(wanted: Json, at: string): Comparison {
  const readers = (isArray(wanted) ? wanted : [wanted]).map((each) => operand(each, at));
  return (value, scope) =>
    readers.some((read) => {
      const other = read(scope) ?? undefined;
      return (
        equal(value, other) ||
        (value !== undefined &&
          other !== undefined &&
          typeof value !== 'object' &&
          typeof other !== 'object' &&
          statusText(value) === statusText(other))
      );
    });
}

function textComparison(wanted: Json, at: string, holds: (text: string, part: string) => boolean): Comparison {
  const parts = isArray(wanted) ? wanted : [wanted];
  if (!parts.every((part): part is string => typeof part === 'string'))
    throw new EntryError(at, 'must be text, or a list of texts');
  return (value) => typeof value === 'string' && parts.some((part) => holds(value, part));
}

function containsComparison(wanted: Json, at: string): Comparison {
  const inText =
    typeof wanted === 'string' ? textComparison(wanted, at, (text, part) => text.includes(part)) : undefined;
  return (value, scope) =>
    isArray(value) ? value.some((element) => equal(element, wanted)) : (inText?.(value, scope) ?? false);
}

/** Numbers that are written as text count as numbers: Rollouts keep their observed generation so. */
function numberComparison(wanted: Json, at: string, holds: (a: number, b: number) => boolean): Comparison {
  const read = operand(wanted, at);
  return (value, scope) => {
    const [a, b] = [numberOf(value), numberOf(read(scope))];
    return a !== undefined && b !== undefined && holds(a, b);
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:/;

/** A number, also one written as text, and a time as its moment. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = TIME.test(value) ? Date.parse(value) : Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** YAML makes a boolean of an unquoted True; conditions mean the text. */
function statusText(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

export function requiredText(object: JsonObject, word: string, at: string): string {
  const value = own(object, word);
  if (typeof value !== 'string' || value === '') throw new EntryError(`${at}.${word}`, 'must be text');
  return value;
}

function requiredTexts(object: JsonObject, word: string, at: string): string[] {
  const value = own(object, word);
  const list = isArray(value) ? value : [value];
  if (list.length === 0 || list.some((each) => each === null || each === undefined || typeof each === 'object'))
    throw new EntryError(`${at}.${word}`, 'must be text, or a list of texts');
  return list.map((each) => statusText(each));
}
