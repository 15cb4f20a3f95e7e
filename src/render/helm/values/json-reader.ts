import { Fault } from '../../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type Json } from '../../../model/json/index.js';
import type { GoValue } from '../template/value/go-value.js';
import { SetError, type Scanner, type ValueReader } from './set-parser.js';
import { asFloats } from './table.js';

/** JSON after each equals sign; nothing there means null. */
export const JSON_READER: ValueReader = {
  read(scanner: Scanner): GoValue {
    if (atEmpty(scanner)) return null;
    const text = firstValue(scanner.rest);
    const value = asFloats(parse(text));
    checkRange(value, text);
    scanner.skip(text);
    atEmpty(scanner);
    return value;
  },
};

/** Passes blanks and one comma; true at the comma or the end. */
function atEmpty(scanner: Scanner): boolean {
  for (;;) {
    const rune = scanner.next();
    if (rune === undefined || rune === ',') return true;
    if (!/\s/.test(rune)) {
      scanner.back();
      return false;
    }
  }
}

const SCALAR = /^(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/s;

/** The text of the JSON value that a text starts with. */
function firstValue(text: string): string {
  if (!text.startsWith('{') && !text.startsWith('[')) return SCALAR.exec(text)?.[0] ?? text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') at += stringLength(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}

function stringLength(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === '"') return at - start + 1;
  }
  return text.length - start;
}

/** Go has no infinite number for one that is too large. */
function checkRange(value: Json, text: string): void {
  if (value === Infinity || value === -Infinity)
    throw new SetError(`json: cannot unmarshal number ${text.slice(0, 100)} into Go value of type float64`);
  if (isArray(value)) for (const item of value) checkRange(item, text);
  else if (isObject(value)) for (const key of Object.keys(value)) checkRange(own(value, key) ?? null, text);
}

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault) throw new SetError(error.message);
    throw error;
  }
}
