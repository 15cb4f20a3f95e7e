import { isArray, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { parsePath, readPath } from './path.js';

/** Related objects that an entry asked for, by the name it gave them; absent ones are simply not there. */
export type Facts = Readonly<Record<string, KubeObject | undefined>>;

/** What a rule can see while it is judged. A test that matches leaves behind what it matched, for the message. */
export interface Scope {
  readonly object: JsonObject;
  readonly facts: Facts;
  item?: Json;
  key?: string | number;
  /** All elements that a `some` found. */
  items?: Json;
  condition?: JsonObject;
  value?: Json;
}

export type Reader = (scope: Scope) => Json | undefined;

/** Says where in an entry something is wrong; the reader of entries turns it into a Fault. */
export class EntryError extends Error {
  constructor(
    readonly at: string,
    message: string,
  ) {
    super(message);
  }
}

/** A path, or alternatives `a.b | c.d` of which the first that is there and not empty counts. */
export function compilePath(text: string, at: string): Reader {
  const readers = text.split('|').map((choice) => compileOnePath(choice.trim(), at));
  const [only] = readers;
  if (only !== undefined && readers.length === 1) return only;
  return (scope) => {
    for (const read of readers) {
      const value = read(scope);
      if (!isEmpty(value)) return value;
    }
    return undefined;
  };
}

/** Nothing to read: absent, an empty text or an empty list. */
export function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === '' || (isArray(value) && value.length === 0);
}

/**
 * A path that starts with `item`, `items`, `key`, `condition`, `value` or `fact.NAME` starts there; every other one
 * starts at the object.
 */
function compileOnePath(text: string, at: string): Reader {
  const segments = parsePath(text);
  if (segments === undefined)
    throw new EntryError(
      at,
      `${JSON.stringify(text)} is no path: write it like status.conditions[0].type or ` +
        'metadata.annotations["example.com/name"]',
    );
  const [first, name] = segments;
  switch (first) {
    case 'item':
      return (scope) => readPath(scope.item, segments, 1);
    case 'items':
      return (scope) => readPath(scope.items, segments, 1);
    case 'condition':
      return (scope) => readPath(scope.condition, segments, 1);
    case 'value':
      return (scope) => readPath(scope.value, segments, 1);
    case 'key':
      return (scope) => scope.key;
    case 'fact':
      if (typeof name !== 'string')
        throw new EntryError(at, `${JSON.stringify(text)} must name the fact: fact.NAME.path`);
      return (scope) => readPath(Object.hasOwn(scope.facts, name) ? scope.facts[name] : undefined, segments, 2);
    default:
      return (scope) => readPath(scope.object, segments);
  }
}

/** Refuses words that nobody would read: a typing error must not pass silently. */
export function onlyWords(object: JsonObject, words: readonly string[], at: string): void {
  const stranger = Object.keys(object).find((word) => !words.includes(word));
  if (stranger !== undefined)
    throw new EntryError(at, `${JSON.stringify(stranger)} is unknown here: expected ${words.join(', ')}`);
}
