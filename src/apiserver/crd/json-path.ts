import { equal, isObject, own, type Json } from '../../model/json/index.js';

/**
 * One step of a path of printer columns: `.name`, `[0]`, `['name']`, `[*]`, `[1:3]`, `[?(@.type=="Ready")]`, `..name`.
 */
type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wild' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
      readonly single: boolean;
    }
  | {
      readonly kind: 'filter';
      readonly path: readonly PathStep[];
      readonly operator: string;
      readonly value: Json | readonly PathStep[] | undefined;
    }
  | { readonly kind: 'deep'; readonly name: string };

/** Reads a path of kubectl's JSONPath, or undefined where it is not one. */
export function parseJsonPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = text.trim().replace(/^\$/, '');
  while (rest !== '') {
    const found = takePathStep(rest);
    if (found === undefined) return undefined;
    if (found.step !== undefined) steps.push(found.step);
    rest = found.rest;
  }
  return steps;
}

interface Taken {
  readonly step: PathStep | undefined;
  readonly rest: string;
}

function takePathStep(text: string): Taken | undefined {
  if (text === '.') return { step: undefined, rest: '' };
  const deep = /^\.\.((?:\\.|[^\s.[\]{}"'])+)/.exec(text);
  if (deep !== null) return { step: { kind: 'deep', name: unescape(deep[1] ?? '') }, rest: text.slice(deep[0].length) };
  const field = /^\.((?:\\.|[^\s.[\]{}"'])+)/.exec(text);
  if (field !== null) {
    const name = unescape(field[1] ?? '');
    return { step: name === '*' ? { kind: 'wild' } : { kind: 'field', name }, rest: text.slice(field[0].length) };
  }
  if (text.startsWith('.[')) return takePathStep(text.slice(1));
  return text.startsWith('[') ? takeBrackets(text) : undefined;
}

const unescape = (name: string): string => name.replace(/\\(.)/g, '$1');

function takeBrackets(text: string): Taken | undefined {
  const end = closing(text);
  if (end < 0) return undefined;
  const inner = text.slice(1, end).trim();
  const rest = text.slice(end + 1);
  const quoted = /^(['"])((?:\\.|[^\\])*)\1$/s.exec(inner);
  // kubectl reads ['a.b'] as .a.b: a dot inside of a name needs a backslash in either form.
  if (quoted !== null) return { step: undefined, rest: `.${quoted[2] ?? ''}${rest}` };
  if (inner === '*') return { step: { kind: 'wild' }, rest };
  const slice = /^(-?\d+)?(:(-?\d+)?(?::(-?\d+))?)?$/.exec(inner);
  if (slice !== null && inner !== '') {
    const number = (part: string | undefined): number | undefined => (part === undefined ? undefined : Number(part));
    return {
      step: {
        kind: 'slice',
        from: number(slice[1]),
        to: number(slice[3]),
        step: number(slice[4]) ?? 1,
        single: slice[2] === undefined,
      },
      rest,
    };
  }
  const filter = /^\?\((.*)\)$/s.exec(inner);
  const step = filter === null ? undefined : readFilter((filter[1] ?? '').trim());
  return step === undefined ? undefined : { step, rest };
}

/** Where the bracket that opens the text closes, quotes and nested brackets aside. */
function closing(text: string): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return at;
  }
  return -1;
}

function readFilter(text: string): PathStep | undefined {
  const match = /^@?(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+))?$/s.exec(text);
  const path = match === null ? undefined : parseJsonPath(match[1] ?? '');
  if (match === null || path === undefined) return undefined;
  const [, , operator = '', right] = match;
  if (right === undefined) return { kind: 'filter', path, operator: 'exists', value: undefined };
  const value = readOperand(right.trim());
  return value === undefined ? undefined : { kind: 'filter', path, operator, value };
}

function readOperand(text: string): Json | readonly PathStep[] | undefined {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2] ?? '';
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text.startsWith('@') ? parseJsonPath(text.slice(1)) : undefined;
}

/** All values that a path finds; missing ones are simply not there. */
export function findByJsonPath(value: Json | undefined, steps: readonly PathStep[]): Json[] {
  let found: Json[] = value === undefined ? [] : [value];
  for (const step of steps) found = found.flatMap((item) => follow(item, step));
  return found;
}

function follow(value: Json, step: PathStep): Json[] {
  switch (step.kind) {
    case 'field': {
      const member = isObject(value) ? own(value, step.name) : undefined;
      return member === undefined ? [] : [member];
    }
    case 'wild':
      return children(value);
    case 'slice':
      return Array.isArray(value) ? slice(value, step) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => holds(item, step)) : [];
    case 'deep':
      return descend(value, step.name);
    default:
      return step satisfies never;
  }
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.keys(value).map((name) => own(value, name) ?? null) : [];
}

function descend(value: Json, name: string): Json[] {
  const here = isObject(value) ? own(value, name) : undefined;
  return [...(here === undefined ? [] : [here]), ...children(value).flatMap((child) => descend(child, name))];
}

function slice(list: readonly Json[], { from, to, step, single }: PathStep & { kind: 'slice' }): Json[] {
  const place = (index: number): number => (index < 0 ? index + list.length : index);
  if (single) return list.slice(place(from ?? 0), place(from ?? 0) + 1);
  return list
    .slice(place(from ?? 0), to === undefined ? list.length : place(to))
    .filter((_, index) => step > 0 && index % step === 0);
}

function holds(item: Json, { path, operator, value }: PathStep & { kind: 'filter' }): boolean {
  const left = findByJsonPath(item, path);
  if (operator === 'exists') return left.length > 0;
  const right = isSteps(value) ? findByJsonPath(item, value)[0] : value;
  const [first] = left;
  if (first === undefined || right === undefined) return false;
  if (operator === '==') return equal(first, right);
  if (operator === '!=') return !equal(first, right);
  if (typeof first !== typeof right || (typeof first !== 'number' && typeof first !== 'string')) return false;
  const other = right as typeof first;
  switch (operator) {
    case '<':
      return first < other;
    case '<=':
      return first <= other;
    case '>':
      return first > other;
    default:
      return first >= other;
  }
}

function isSteps(value: Json | readonly PathStep[] | undefined): value is readonly PathStep[] {
  // Operands are scalars or a path; only a path is a list.
  return Array.isArray(value);
}
