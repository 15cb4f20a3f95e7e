import { parseDuration } from '../../../model/formats/index.js';
import { isList, isMap, Moment, numberOf, formatValue, Span, typeName, expressionFault, type Value } from './value.js';

/** Calls the predicate with an element. */
export type Predicate = (item: Value) => Value;

const WITH_PREDICATE = ['all', 'any', 'none', 'one', 'filter', 'map', 'count', 'find', 'findIndex'] as const;
type WithPredicate = (typeof WITH_PREDICATE)[number];

export function takesPredicate(name: string): name is WithPredicate {
  return (WITH_PREDICATE as readonly string[]).includes(name);
}

export function isBuiltin(name: string): boolean {
  return takesPredicate(name) || PLAIN.has(name);
}

export function applyPredicate(name: WithPredicate, list: Value, predicate: Predicate): Value {
  if (!isList(list)) throw expressionFault(`builtin ${name} takes only array (got ${typeName(list)})`);
  const holds = (item: Value): boolean => {
    const answer = predicate(item);
    if (typeof answer !== 'boolean')
      throw expressionFault(`predicate of ${name} should return boolean (got ${typeName(answer)})`);
    return answer;
  };
  switch (name) {
    case 'all':
      return list.every(holds);
    case 'any':
      return list.some(holds);
    case 'none':
      return !list.some(holds);
    case 'one':
      return list.filter(holds).length === 1;
    case 'filter':
      return list.filter(holds);
    case 'count':
      return list.filter(holds).length;
    case 'find':
      return list.find(holds) ?? null;
    case 'findIndex':
      return list.findIndex(holds);
    case 'map':
      return list.map(predicate);
    default:
      return name satisfies never;
  }
}

function text(name: string, value: Value): string {
  if (typeof value !== 'string') throw expressionFault(`invalid argument for ${name} (type ${typeName(value)})`);
  return value;
}

const first = ([value = null]: readonly Value[]): Value => value;

function toNumber(name: string, value: Value): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : numberOf(value);
  if (number === undefined || Number.isNaN(number))
    throw expressionFault(`invalid argument for ${name} (${JSON.stringify(formatValue(value))})`);
  return number;
}

function length(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (isList(value)) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  throw expressionFault(`invalid argument for len (type ${typeName(value)})`);
}

/** Functions of the language that take values as they are. */
export const PLAIN: ReadonlyMap<string, (args: readonly Value[]) => Value> = new Map<
  string,
  (args: readonly Value[]) => Value
>([
  ['len', (args) => length(first(args))],
  ['lower', (args) => text('lower', first(args)).toLowerCase()],
  ['upper', (args) => text('upper', first(args)).toUpperCase()],
  ['trim', (args) => text('trim', first(args)).trim()],
  ['hasPrefix', ([value = null, part = null]) => text('hasPrefix', value).startsWith(text('hasPrefix', part))],
  ['hasSuffix', ([value = null, part = null]) => text('hasSuffix', value).endsWith(text('hasSuffix', part))],
  ['indexOf', ([value = null, part = null]) => text('indexOf', value).indexOf(text('indexOf', part))],
  [
    'replace',
    ([value = null, old = null, now = null]) =>
      text('replace', value).replaceAll(text('replace', old), () => text('replace', now)),
  ],
  ['split', ([value = null, by = null]) => text('split', value).split(text('split', by))],
  [
    'join',
    ([value = null, by = '']) =>
      isList(value) ? value.map((item) => text('join', item)).join(text('join', by)) : text('join', value),
  ],
  ['string', (args) => formatValue(first(args))],
  ['int', (args) => Math.trunc(toNumber('int', first(args)))],
  ['float', (args) => toNumber('float', first(args))],
  ['keys', (args) => keysOf(first(args))],
  ['first', (args) => edge(first(args), 0)],
  ['last', (args) => edge(first(args), -1)],
  ['duration', (args) => new Span(parseDuration(text('duration', first(args))))],
  ['date', (args) => Moment.parse(text('date', first(args)))],
]);

function keysOf(value: Value): Value[] {
  if (!isMap(value)) throw expressionFault(`cannot get keys from ${typeName(value)}`);
  return Object.keys(value);
}

function edge(value: Value, at: number): Value {
  return isList(value) ? (value.at(at) ?? null) : null;
}
