import { Fault } from '../../../model/faults/index.js';

/** A token of an expression, and its position. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  /** Of a string: its value, without quotes. */
  readonly text: string;
  readonly at: number;
}

const SIGNS = [
  '?.',
  '??',
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '**',
  '..',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  ',',
  ':',
  '?',
  '!',
  '<',
  '>',
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '|',
  '#',
  ';',
];
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};
/** Longer ones are no conditions. */
const MAX_LENGTH = 20_000;

export function tokensOf(source: string): Token[] {
  if (source.length > MAX_LENGTH)
    throw new Fault('VALUE_INVALID', `the expression has more than ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const blank = /^(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(rest)?.[0];
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const { token, length } = tokenAt(rest, at);
    tokens.push(token);
    at += length;
  }
  return [...tokens, { kind: 'end', text: '', at: source.length }];
}

function tokenAt(rest: string, at: number): { readonly token: Token; readonly length: number } {
  const name = /^[A-Za-z_$][A-Za-z0-9_$]*/.exec(rest)?.[0];
  if (name !== undefined) return { token: { kind: 'name', text: name, at }, length: name.length };
  const number =
    /^(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?)/.exec(
      rest,
    )?.[0];
  if (number !== undefined)
    return { token: { kind: 'number', text: number.replaceAll('_', ''), at }, length: number.length };
  const quote = rest[0] ?? '';
  if (quote === "'" || quote === '"' || quote === '`') return stringToken(rest, at, quote);
  const sign = SIGNS.find((each) => rest.startsWith(each));
  if (sign === undefined)
    throw new Fault('VALUE_INVALID', `unrecognized character ${JSON.stringify(quote)} at ${at + 1}`);
  return { token: { kind: 'sign', text: sign, at }, length: sign.length };
}

function stringToken(rest: string, at: number, quote: string): { readonly token: Token; readonly length: number } {
  let text = '';
  for (let i = 1; i < rest.length; i++) {
    const letter = rest[i] ?? '';
    if (letter === quote) return { token: { kind: 'text', text, at }, length: i + 1 };
    if (letter !== '\\' || quote === '`') {
      text += letter;
      continue;
    }
    const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest.slice(i + 1, i + 6));
    const escaped = ESCAPES[rest[i + 1] ?? ''];
    if (code !== null) text += String.fromCharCode(parseInt(code[1] ?? code[2] ?? '', 16));
    else if (escaped === undefined) throw new Fault('VALUE_INVALID', `invalid escape in a string at ${at + i + 1}`);
    else text += escaped;
    i += code === null ? 1 : code[0].length;
  }
  throw new Fault('VALUE_INVALID', `unterminated string at ${at + 1}`);
}
