import { readOneYaml } from '../../../model/yaml/index.js';
import type { Json } from '../../../model/json/index.js';
import { BOOL_TAG, FLOAT_TAG, INT_TAG, NULL_TAG, STRING_TAG } from './node.js';

const TIMESTAMP_TAG = '!!timestamp';
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['true', 'True', 'TRUE', 'false', 'False', 'FALSE'].map((word) => [word, BOOL_TAG] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, NULL_TAG] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, FLOAT_TAG] as const),
  ...['', '+', '-'].flatMap((sign) => ['.inf', '.Inf', '.INF'].map((word) => [sign + word, FLOAT_TAG] as const)),
]);

/**
 * Whether a text that starts so can be anything but a string: 1 a word, 2 a number or a date, 3 a word or a fraction.
 */
const HINTS = new Uint8Array(128);
for (const char of 'nNtTfF~') HINTS[char.charCodeAt(0)] = 1;
for (const char of '+-0123456789') HINTS[char.charCodeAt(0)] = 2;
HINTS['.'.charCodeAt(0)] = 3;

const SMALL = /^(?:0|-?[1-9]\d{0,14})$/;
const INTEGER = /^[-+]?(?:\d+|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const FRACTION = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const DATE = /^\d{4}-/;

/** The tag that go-yaml v3 gives to a plain scalar. */
export function resolveTag(text: string): string {
  const hint = text === '' ? 1 : (HINTS[text.charCodeAt(0)] ?? 0);
  if (hint === 0) return STRING_TAG;
  const word = text.length <= 5 ? WORDS.get(text) : undefined;
  if (word !== undefined) return word;
  if (hint === 1) return STRING_TAG;
  if (hint === 3) return FRACTION.test(text) ? FLOAT_TAG : STRING_TAG;
  return SMALL.test(text) ? INT_TAG : oddNumber(text);
}

/** Dates, other bases, underscores, large and broken numbers are rare; the reader of the model knows them all. */
function oddNumber(text: string): string {
  const plain = text.replaceAll('_', '');
  if (DATE.test(text)) return isTimestamp(text) ? TIMESTAMP_TAG : numberTag(text, plain);
  return numberTag(text, plain);
}

/** A timestamp is read as its usual form, which differs from this one; anything else stays as it is. */
function isTimestamp(text: string): boolean {
  const unusual = text.replace('T', 't');
  return scalarValue(unusual) !== unusual;
}

function numberTag(text: string, plain: string): string {
  if (!INTEGER.test(plain) && !FLOAT.test(plain) && !/^[-+]?0[bo][-+]/.test(plain)) return STRING_TAG;
  const value = scalarValue(text);
  if (typeof value === 'bigint') return INT_TAG;
  if (typeof value !== 'number') return STRING_TAG;
  return isIntegerText(plain, value) ? INT_TAG : FLOAT_TAG;
}

function isIntegerText(plain: string, value: number): boolean {
  if (/^[-+]?0\d*[89]/.test(plain)) return false;
  return (INTEGER.test(plain) || /^[-+]?0[bo][-+]/.test(plain)) && Number.isSafeInteger(value);
}

/** What go-yaml v3 makes of a plain scalar. */
export function scalarValue(text: string): Json {
  if (SMALL.test(text)) return Number(text);
  return readOneYaml(text, { dialect: 'kyaml' });
}
