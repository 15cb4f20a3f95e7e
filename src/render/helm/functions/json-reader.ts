import { Fault, parseJson, type Json } from '../../../model/index.js';
import { toByteString } from '../template/go-text.js';
import { setEntry, type GoObject, type GoValue } from '../template/value.js';
import { runesText } from './broken-text.js';

export interface ReadJson {
  readonly value: GoValue;
  /** In Go's words; the value may be there all the same, without what could not be read. */
  readonly problem?: string;
}

/** Reads a text as encoding/json does into an interface{}: every number a float64. */
export function readJson(text: string): ReadJson {
  try {
    const holder: { problem?: string } = {};
    const value = fromPlain(parseJson(runesText(text)), (problem) => { holder.problem ??= problem; });
    return { value, ...holder };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { value: null, problem: syntaxProblem(text, error) };
  }
}

/** Go reads bytes, so the wrong character that it names is one byte of it. */
function syntaxProblem(text: string, fault: Fault): string {
  try {
    parseJson(toByteString(text));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message.replace(/^(invalid character ')([\x7f-\xa0\xad])/, (_, start: string, char: string) => start + escaped(char));
  }
  return fault.message;
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

/** What a parser gave, as values of a template; `onProblem` hears of numbers that no float64 can hold. */
export function fromPlain(value: Json, onProblem: (problem: string) => void): GoValue {
  if (typeof value === 'string') return validText(value);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    onProblem('json: cannot unmarshal number into Go value of type float64');
    return null;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, onProblem));
  const object: GoObject = {};
  for (const [key, member] of Object.entries(value)) setEntry(object, validText(key), fromPlain(member ?? null, onProblem));
  return object;
}

/** What Go calls the kind of a JSON value in its complaints. */
export function jsonKind(value: GoValue): string {
  switch (typeof value) {
    case 'string': return 'string';
    case 'boolean': return 'bool';
    case 'number': case 'bigint': return 'number';
    default: return Array.isArray(value) ? 'array' : 'object';
  }
}
