import { MAX_DEPTH } from './depth.js';
import { Fault } from '../faults/index.js';
import { isObject, own, type Json, type JsonObject } from './json.js';
import { JsonReader } from './json-reader.js';

/** Sixteen digits where a number may stand: an integer that JSON.parse would round. */
const MANY_DIGITS = /(?:^|[\s:,[-])\d{16}/;

/**
 * Parses JSON text; a Fault says where the text is wrong or too deep. `JSON.parse` does the work unless the text could
 * hold an integer it would round.
 */
export function parseJson(text: string): Json {
  if (mayBeTooDeep(text) || MANY_DIGITS.test(text)) return new JsonReader(text).read();
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new JsonReader(text).read();
  }
}

/** Whether a text has enough brackets and depth to need the reader that counts them. */
function mayBeTooDeep(text: string): boolean {
  return text.length > 2 * MAX_DEPTH && has(text, '{', '[', MAX_DEPTH) && deepest(text) > MAX_DEPTH;
}

function has(text: string, one: string, other: string, count: number): boolean {
  let found = 0;
  for (const bracket of [one, other]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++found > count) return true;
  }
  return false;
}

/** How deep the brackets outside strings go. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = stringEnd(text, at);
    else if (code === 123 || code === 91) most = Math.max(most, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return most;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at++;
  }
  return text.length;
}

/** JSON text of a value, without spaces. bigint is written as the integer it is. */
/** The object that a text of a stranger is; an empty one where it is something else, or no JSON. */
export function objectIn(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof Fault) return {};
    throw error;
  }
}

export function writeJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeWithIntegers(value);
  }
}

function writeWithIntegers(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeWithIntegers).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const key of Object.keys(value)) {
    const member = own(value, key);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${writeWithIntegers(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** Most repeated keys that a text is asked for; the API server stops there too. */
const MAX_DUPLICATES = 100;

/** The paths of keys that an object has more than once, such as `spec.containers[0].name`; each path once. */
export function findDuplicateKeys(text: string): { path: string }[] {
  const paths = new Set<string>();
  new JsonReader(text, (path) => {
    if (paths.size < MAX_DUPLICATES) paths.add(path);
  }).read();
  return [...paths].map((path) => ({ path }));
}
