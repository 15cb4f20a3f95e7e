import { Fault } from '../../../../model/faults/index.js';
import { own, parseJson, type Json } from '../../../../model/json/index.js';
import { toByteString } from '../../template/value/go-text.js';
import { entryOf, GoTyped, setEntry, type GoObject, type GoValue } from '../../template/value/go-value.js';
import { runesText } from '../text/broken-text.js';

export interface ReadJson {
  readonly value: GoValue;
  /** In Go's words; the value may be there all the same, without what could not be read. */
  readonly problem?: string;
}

/** Reads a text as encoding/json does into an interface{}: every number a float64. */
export function readJson(text: string): ReadJson {
  try {
    const value = fromPlain(parseJson(runesText(text)));
    const tooLarge = isInfinite(value) ? largeNumber(text) : '';
    return tooLarge === ''
      ? { value }
      : {
          value: withoutInfinity(value),
          problem: `json: cannot unmarshal number ${tooLarge} into Go value of type float64`,
        };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { value: null, problem: syntaxErrorText(text, error) };
  }
}

/**
 * Go reads bytes, so the wrong character that it names is one byte of it. At the end it tries a space first, which is
 * wrong in the middle of a word or number.
 */
function syntaxErrorText(text: string, fault: Fault): string {
  const atEnd = fault.message === 'unexpected end of JSON input';
  const problem = errorTextOf(toByteString(text) + (atEnd ? ' ' : '')) ?? fault.message;
  return problem.replace(
    /^(invalid character ')([\x7f-\xa0\xad])/,
    (_, start: string, char: string) => start + escaped(char),
  );
}

function errorTextOf(bytes: string): string | undefined {
  try {
    parseJson(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function escaped(char: string): string {
  const hex = char.charCodeAt(0).toString(16);
  return char === '\x7f' ? `\\x${hex}` : `\\u00${hex}`;
}

const SURROGATE = /[\ud800-\udfff]/;

function validText(text: string): string {
  // Halves of a pair, written as escapes, have no character of their own.
  return SURROGATE.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}

/** What a parser gave, as values of a template: every number a float64. */
export function fromPlain(value: Json): GoValue {
  if (typeof value === 'string') return validText(value);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  const object: GoObject = {};
  for (const key of Object.keys(value)) setEntry(object, validText(key), fromPlain(own(value, key) ?? null));
  return object;
}

const TOKEN = /"(?:[^"\\]|\\[^]?)*(?:"|$)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** The first number of a JSON text that is too large for a float64, as written. */
function largeNumber(text: string): string {
  for (const [token] of text.matchAll(TOKEN))
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return token;
  return '';
}

function isInfinite(value: GoValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null || value instanceof GoTyped) return false;
  return Object.values(value).some((member) => isInfinite(member ?? null));
}

/** Go leaves nil where it could not store a number. */
function withoutInfinity(value: GoValue): GoValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null || value instanceof GoTyped) return value;
  if (Array.isArray(value)) return value.map(withoutInfinity);
  const object: GoObject = {};
  for (const key of Object.keys(value)) setEntry(object, key, withoutInfinity(entryOf(value, key) ?? null));
  return object;
}

/** What Go calls the kind of a JSON value in its complaints. */
export function jsonKind(value: GoValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'number';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}
