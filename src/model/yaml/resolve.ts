import type { Json } from '../json/index.js';
import { timestampOf } from './timestamp.js';

/**
 * `kubernetes`: what sigs.k8s.io/yaml (go-yaml v2) makes of a scalar; `kyaml`: what go-yaml v3 (Kustomize) makes of it.
 */
export type YamlDialect = 'kubernetes' | 'kyaml';
export type ScalarKind = 'str' | 'int' | 'float' | 'bool' | 'null' | 'timestamp';

export interface Resolved {
  readonly kind: ScalarKind;
  readonly value: Json;
}

const NULL: Resolved = { kind: 'null', value: null };
const TRUE: Resolved = { kind: 'bool', value: true };
const FALSE: Resolved = { kind: 'bool', value: false };

const SHARED: readonly (readonly [string, Resolved])[] = [
  ...['true', 'True', 'TRUE'].map((word) => [word, TRUE] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, FALSE] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, NULL] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { kind: 'float', value: NaN }] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(
    (word) => [word, { kind: 'float', value: Infinity }] as const,
  ),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, { kind: 'float', value: -Infinity }] as const),
];

const WORDS: Readonly<Record<YamlDialect, ReadonlyMap<string, Resolved>>> = {
  kyaml: new Map(SHARED),
  kubernetes: new Map([
    ...SHARED,
    ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, TRUE] as const),
    ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, FALSE] as const),
  ]),
};

/** What the first character lets a scalar be: 1 a word of the table, 2 a number, 3 a word or a fraction. */
const HINTS = new Uint8Array(128);
for (const char of 'yYnNtTfFoO~') HINTS[char.charCodeAt(0)] = 1;
for (const char of '+-0123456789') HINTS[char.charCodeAt(0)] = 2;
HINTS['.'.charCodeAt(0)] = 3;

/** The value of a plain scalar that is not a string; undefined for a string. */
export function resolvePlain(text: string, dialect: YamlDialect, timestamps = true): Resolved | undefined {
  if (text === '') return NULL;
  const hint = HINTS[text.charCodeAt(0)] ?? 0;
  if (hint === 0) return undefined;
  const word = text.length <= 5 ? WORDS[dialect].get(text) : undefined;
  if (word !== undefined || hint === 1) return word;
  if (hint === 3) return fraction(text);
  return number(text, dialect, timestamps);
}

const SMALL = /^(?:0|-?[1-9]\d{0,14})$/;
const DECIMAL = /^[-+]?(?:0|[1-9]\d*)$/;
const BASED = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** go-yaml parses what follows the prefix as a number of its own, sign included. */
const ODD_BASED = /^0(?:b([-+][01]+)|o([-+][0-7]+))$/;

function number(text: string, dialect: YamlDialect, timestamps: boolean): Resolved | undefined {
  if (SMALL.test(text)) return { kind: 'int', value: Number(text) };
  const stamp = timestamps ? timestampOf(text) : undefined;
  if (stamp !== undefined) return { kind: 'timestamp', value: dialect === 'kubernetes' ? text : stamp };
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  return integer(plain) ?? float(plain) ?? oddInteger(plain, dialect);
}

function integer(plain: string): Resolved | undefined {
  if (DECIMAL.test(plain)) {
    return plain.length > 21
      ? undefined
      : inRange(BigInt(plain.startsWith('+') ? plain.slice(1) : plain), !/^[-+]/.test(plain));
  }
  const match = BASED.exec(plain);
  if (match === null) return undefined;
  const [, sign = '', hex, octal, binary] = match;
  const digits = (hex ?? octal ?? binary ?? '').replace(/^0+(?=.)/, '');
  // More digits than 64 bits could have; BigInt would take quadratic time on a megabyte of them.
  if (digits.length > 64) return undefined;
  const size = BigInt(prefixOf(hex, octal) + digits);
  return inRange(sign === '-' ? -size : size, sign === '');
}

function prefixOf(hex: string | undefined, octal: string | undefined): string {
  if (hex !== undefined) return '0x';
  return octal !== undefined ? '0o' : '0b';
}

/** Go reads an int64, or a uint64 when there is no sign; a larger integer may still be a float. */
function inRange(value: bigint, unsigned: boolean): Resolved | undefined {
  if (value < -(2n ** 63n) || value >= (unsigned ? 2n ** 64n : 2n ** 63n)) return undefined;
  const small = Number(value);
  return { kind: 'int', value: Number.isSafeInteger(small) ? small : value };
}

function float(plain: string): Resolved | undefined {
  if (!FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? { kind: 'float', value } : undefined;
}

const FRACTION = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;

function fraction(text: string): Resolved | undefined {
  return FRACTION.test(text) ? float(text.replaceAll('_', '')) : undefined;
}

function oddInteger(plain: string, dialect: YamlDialect): Resolved | undefined {
  const match = ODD_BASED.exec(plain);
  if (match === null) return undefined;
  const [, binary, octal] = match;
  if (binary !== undefined) return { kind: 'int', value: parseInt(binary, 2) };
  return dialect === 'kyaml' && octal !== undefined ? { kind: 'int', value: parseInt(octal, 8) } : undefined;
}
