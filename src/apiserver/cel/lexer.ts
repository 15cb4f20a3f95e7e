import { CelSyntaxError, type Literal } from './ast.js';

export type Token =
  | { readonly kind: 'literal'; readonly at: number; readonly literal: Literal }
  | { readonly kind: 'ident'; readonly at: number; readonly text: string }
  | { readonly kind: 'op'; readonly at: number; readonly text: string }
  | { readonly kind: 'end'; readonly at: number; readonly text: '<EOF>' };

const SPACE = /(?:[\s]|\/\/[^\n]*)+/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?)/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const STRING_START = /(?:[rR][bB]|[bB][rR]|[rR]|[bB])?("""|'''|"|')/y;
const OPERATOR = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;
const MAX_INT = 2n ** 63n;

/** Splits CEL text into tokens. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const space = take(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const opening = take(STRING_START);
    if (opening !== undefined) {
      const { literal, end } = readString(text, at, opening);
      tokens.push({ kind: 'literal', at, literal });
      at = end;
      continue;
    }
    const number = take(NUMBER);
    if (number !== undefined) {
      tokens.push({ kind: 'literal', at, literal: readNumber(number, at) });
      at += number.length;
      continue;
    }
    const ident = take(IDENT);
    const operator = ident ?? take(OPERATOR);
    if (operator === undefined)
      throw new CelSyntaxError(at, `Syntax error: token recognition error at: '${text[at] ?? ''}'`);
    tokens.push({ kind: ident === undefined ? 'op' : 'ident', at, text: operator });
    at += operator.length;
  }
  tokens.push({ kind: 'end', at: text.length, text: '<EOF>' });
  return tokens;
}

function readNumber(text: string, at: number): Literal {
  if (/[uU]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (value >= 2n ** 64n) throw new CelSyntaxError(at, 'invalid uint literal');
    return { type: 'uint', value };
  }
  if (/^0[xX]/.test(text) || /^\d+$/.test(text)) {
    const value = BigInt(text);
    // -9223372036854775808 is read as a minus and this number: the parser joins them.
    if (value > MAX_INT) throw new CelSyntaxError(at, 'invalid int literal');
    return { type: 'int', value };
  }
  return { type: 'double', value: Number(text) };
}

function readString(text: string, start: number, opening: string): { literal: Literal; end: number } {
  const quote = /(?<!["'])["']+$/.exec(opening)?.[0] ?? '"';
  const prefix = opening.slice(0, -quote.length).toLowerCase();
  const raw = prefix.includes('r');
  let at = start + opening.length;
  while (!text.startsWith(quote, at)) {
    const char = text[at];
    if (char === undefined || (quote.length === 1 && (char === '\n' || char === '\r'))) {
      throw new CelSyntaxError(start, `Syntax error: token recognition error at: '${text.slice(start, start + 20)}'`);
    }
    at += char === '\\' && !raw ? 2 : 1;
  }
  const inner = text.slice(start + opening.length, at);
  const end = at + quote.length;
  if (prefix.includes('b')) return { literal: { type: 'bytes', value: unescapeBytes(inner, raw, start) }, end };
  return { literal: { type: 'string', value: raw ? inner : unescapeText(inner, start) }, end };
}

const ESCAPE =
  /\\(?:([abfnrtv\\?"'`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g;
const SHORT: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

function unescapeText(inner: string, at: number): string {
  return inner.replace(ESCAPE, (whole, short?: string, hex?: string, u4?: string, u8?: string, octal?: string) => {
    if (short !== undefined) return SHORT.get(short) ?? short;
    const code = octal === undefined ? parseInt(hex ?? u4 ?? u8 ?? '', 16) : parseInt(octal, 8);
    if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw new CelSyntaxError(at, `invalid escape sequence '${whole}'`);
    return String.fromCodePoint(code);
  });
}

function unescapeBytes(inner: string, raw: boolean, at: number): Uint8Array {
  if (raw) return new TextEncoder().encode(inner);
  const bytes: number[] = [];
  let last = 0;
  for (const match of inner.matchAll(ESCAPE)) {
    bytes.push(...new TextEncoder().encode(inner.slice(last, match.index)));
    last = match.index + match[0].length;
    const [whole, short, hex, , , octal] = match;
    if (short !== undefined) bytes.push(...new TextEncoder().encode(SHORT.get(short) ?? short));
    else if (hex !== undefined) bytes.push(parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(parseInt(octal, 8));
    else throw new CelSyntaxError(at, `invalid escape sequence '${whole}'`);
  }
  bytes.push(...new TextEncoder().encode(inner.slice(last)));
  return Uint8Array.from(bytes);
}
