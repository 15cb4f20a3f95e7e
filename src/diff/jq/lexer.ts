import { JqSyntaxError } from './syntax.js';

export type Token =
  | {
      readonly kind: 'name' | 'keyword' | 'field' | 'variable' | 'format' | 'sign';
      readonly text: string;
      readonly at: number;
    }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  /** Only its opening quote is read: what is inside a text may be jq again. */
  | { readonly kind: 'quote' | 'end'; readonly text: string; readonly at: number };

const KEYWORDS: ReadonlySet<string> = new Set([
  'or',
  'and',
  'module',
  'import',
  'include',
  'def',
  'as',
  'label',
  'break',
  'null',
  'true',
  'false',
  'if',
  'then',
  'elif',
  'else',
  'end',
  'try',
  'catch',
  'reduce',
  'foreach',
]);

const SPACE = /(?:\s|#[^\n]*)*/y;
const NAME = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y;
const FIELD = /\.[A-Za-z_]\w*/y;
const VARIABLE = /\$[A-Za-z_]\w*/y;
const FORMAT = /@\w+/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const SIGN = /\?\/\/|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.|,:;()[\]{}+\-*/%=<>?]/y;

/** The token at an offset, after white space and comments. */
export function readToken(source: string, from: number): { token: Token; next: number } {
  const at = from + (match(SPACE, source, from)?.length ?? 0);
  if (at >= source.length) return { token: { kind: 'end', text: '', at }, next: at };
  if (source.charAt(at) === '"') return { token: { kind: 'quote', text: '"', at }, next: at + 1 };
  const token = word(source, at);
  if (token === undefined)
    throw new JqSyntaxError(`unexpected ${JSON.stringify(String.fromCodePoint(source.codePointAt(at) ?? 0))}`, at);
  return { token: token.token, next: at + token.length };
}

function word(source: string, at: number): { token: Token; length: number } | undefined {
  const name = match(NAME, source, at);
  if (name !== undefined)
    return { token: { kind: KEYWORDS.has(name) ? 'keyword' : 'name', text: name, at }, length: name.length };
  const number = match(NUMBER, source, at);
  if (number !== undefined) return { token: { kind: 'number', text: number, at }, length: number.length };
  const field = match(FIELD, source, at);
  if (field !== undefined) return { token: { kind: 'field', text: field.slice(1), at }, length: field.length };
  const variable = match(VARIABLE, source, at);
  if (variable !== undefined) return { token: { kind: 'variable', text: variable, at }, length: variable.length };
  const format = match(FORMAT, source, at);
  if (format !== undefined) return { token: { kind: 'format', text: format, at }, length: format.length };
  const sign = match(SIGN, source, at);
  return sign === undefined ? undefined : { token: { kind: 'sign', text: sign, at }, length: sign.length };
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export type TextPiece =
  | { readonly kind: 'chars'; readonly chars: string; readonly next: number }
  | { readonly kind: 'query' | 'close'; readonly next: number };

/** The next piece of a text: characters, the start of an inner expression, or the closing quote. */
export function readTextPiece(source: string, at: number): TextPiece {
  const start = source.charAt(at);
  if (start === '') throw new JqSyntaxError('text without its closing quote', at);
  if (start === '"') return { kind: 'close', next: at + 1 };
  if (start !== '\\') {
    const end = /["\\]/.exec(source.slice(at))?.index ?? source.length - at;
    return { kind: 'chars', chars: source.slice(at, at + end), next: at + end };
  }
  const escape = source.charAt(at + 1);
  if (escape === '(') return { kind: 'query', next: at + 2 };
  if (escape === 'u') {
    const hex = /^[0-9a-fA-F]{4}/.exec(source.slice(at + 2))?.[0];
    if (hex !== undefined) return { kind: 'chars', chars: String.fromCharCode(parseInt(hex, 16)), next: at + 6 };
  }
  const chars = ESCAPES.get(escape);
  if (chars === undefined) throw new JqSyntaxError('unknown escape in a text', at);
  return { kind: 'chars', chars, next: at + 2 };
}
