import { BOOL, DYN, INT, STRING, listOf } from '../types.js';
import { quoteGo } from '../../../model/go/index.js';
import { CelError, CelList, type CelValue } from '../values.js';
import { func, method, type Overload, type CostMeter } from '../overload.js';
import { formatText } from './format-text.js';

const charge = (spender: CostMeter, ...texts: readonly string[]): void => {
  for (const text of texts) spender.spend(text.length / 10);
};

function position(index: bigint, length: number): number {
  if (index < 0n || index > BigInt(length)) throw new CelError(`index out of range: ${index}`);
  return Number(index);
}

function charAt(text: string, index: bigint): string {
  const chars = Array.from(text);
  const at = position(index, chars.length);
  return chars[at] ?? '';
}

function substring(text: string, start: bigint, end?: bigint): string {
  const chars = Array.from(text);
  const from = position(start, chars.length);
  const to = end === undefined ? chars.length : position(end, chars.length);
  if (from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  return chars.slice(from, to).join('');
}

function indexOf(text: string, part: string, from: bigint): bigint {
  const chars = Array.from(text);
  if (part === '') return from;
  const start = position(from, chars.length);
  const skipped = chars.slice(0, start).join('').length;
  const found = text.indexOf(part, skipped);
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const chars = Array.from(text);
  if (part === '') return from ?? BigInt(chars.length);
  const start = from === undefined ? text.length : chars.slice(0, position(from, chars.length)).join('').length;
  const found = text.lastIndexOf(part, start);
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length);
}

function replace(text: string, from: string, to: string, limit: number): string {
  let rest = limit < 0 ? Infinity : limit;
  if (from !== '') return text.split(from).reduce((done, part) => done + (rest-- > 0 ? to : from) + part);
  const chars = Array.from(text);
  return [...chars.map((char) => (rest-- > 0 ? to : '') + char), rest > 0 ? to : ''].join('');
}

function split(text: string, separator: string, limit: number): CelList {
  if (limit === 0) return CelList.of([]);
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return CelList.of(parts);
  return CelList.of([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]);
}

function joinTexts(list: CelList, separator: string, spender: CostMeter): string {
  const texts = [...list].map((item) => {
    if (typeof item !== 'string') throw new CelError('no such overload');
    return item;
  });
  charge(spender, ...texts);
  spender.spend((separator.length * texts.length) / 10);
  return texts.join(separator);
}

const ascii =
  (pattern: RegExp, change: (char: string) => string) =>
  (text: string): string =>
    text.replace(pattern, change);
const lower = ascii(/[A-Z]/g, (char) => char.toLowerCase());
const upper = ascii(/[a-z]/g, (char) => char.toUpperCase());
/** Unicode white space as Go's unicode.IsSpace has it. */
const trim = (text: string): string => text.replace(/^[\s\u0085]+|(?<![\s\u0085])[\s\u0085]+$/gu, '');

function change(name: string, run: (text: string) => string): Overload {
  return method(name, [STRING], STRING, ([text]: [string], spender) => {
    charge(spender, text);
    return run(text);
  });
}

function test(name: string, run: (text: string, part: string) => boolean): Overload {
  return method(name, [STRING, STRING], BOOL, ([text, part]: [string, string], spender) => {
    charge(spender, text, part);
    return run(text, part);
  });
}

const SEARCH: readonly Overload[] = [
  test('contains', (text, part) => text.includes(part)),
  test('startsWith', (text, part) => text.startsWith(part)),
  test('endsWith', (text, part) => text.endsWith(part)),
  method('charAt', [STRING, INT], STRING, ([text, index]: [string, bigint], spender) => {
    charge(spender, text);
    return charAt(text, index);
  }),
  method('indexOf', [STRING, STRING], INT, ([text, part]: [string, string], spender) => {
    charge(spender, text, part);
    return indexOf(text, part, 0n);
  }),
  method('indexOf', [STRING, STRING, INT], INT, ([text, part, from]: [string, string, bigint], spender) => {
    charge(spender, text, part);
    return indexOf(text, part, from);
  }),
  method('lastIndexOf', [STRING, STRING], INT, ([text, part]: [string, string], spender) => {
    charge(spender, text, part);
    return lastIndexOf(text, part);
  }),
  method('lastIndexOf', [STRING, STRING, INT], INT, ([text, part, from]: [string, string, bigint], spender) => {
    charge(spender, text, part);
    return lastIndexOf(text, part, from);
  }),
];

const CHANGE: readonly Overload[] = [
  change('lowerAscii', lower),
  change('upperAscii', upper),
  change('trim', trim),
  method('substring', [STRING, INT], STRING, ([text, start]: [string, bigint], spender) => {
    charge(spender, text);
    return substring(text, start);
  }),
  method('substring', [STRING, INT, INT], STRING, ([text, start, end]: [string, bigint, bigint], spender) => {
    charge(spender, text);
    return substring(text, start, end);
  }),
  method('replace', [STRING, STRING, STRING], STRING, ([text, from, to]: [string, string, string], spender) => {
    spender.spend(((text.length + 1) * (to.length + 1)) / 10);
    return replace(text, from, to, -1);
  }),
  method(
    'replace',
    [STRING, STRING, STRING, INT],
    STRING,
    ([text, from, to, limit]: [string, string, string, bigint], spender) => {
      spender.spend(((text.length + 1) * (to.length + 1)) / 10);
      return replace(text, from, to, Number(limit));
    },
  ),
  method('split', [STRING, STRING], listOf(STRING), ([text, separator]: [string, string], spender) => {
    charge(spender, text);
    return split(text, separator, -1);
  }),
  method(
    'split',
    [STRING, STRING, INT],
    listOf(STRING),
    ([text, separator, limit]: [string, string, bigint], spender) => {
      charge(spender, text);
      return split(text, separator, Number(limit));
    },
  ),
  method('join', [listOf(STRING)], STRING, ([list]: [CelList], spender) => joinTexts(list, '', spender)),
  method('join', [listOf(STRING), STRING], STRING, ([list, separator]: [CelList, string], spender) =>
    joinTexts(list, separator, spender),
  ),
  func('strings.quote', [STRING], STRING, ([text]: [string], spender) => {
    charge(spender, text);
    return quoteGo(text);
  }),
  method('format', [STRING, listOf(DYN)], STRING, ([text, args]: [string, CelList], spender) => {
    charge(spender, text);
    const values: CelValue[] = [...args];
    const result = formatText(text, values);
    charge(spender, result);
    return result;
  }),
];

export const STRINGS: readonly Overload[] = [...SEARCH, ...CHANGE];
