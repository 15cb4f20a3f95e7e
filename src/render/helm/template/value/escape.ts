import { isPrintable } from '../../../../model/go/index.js';
import { sprint } from './go-print.js';
import { toByteString } from './go-text.js';
import { GoStruct, pointedTo, type GoValue } from './go-value.js';

/** The builtins that escape text: html, js, urlquery. */

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export function escapeHtml(args: readonly GoValue[]): string {
  return joined(args).replace(/[\0"'&<>]/g, (char) => HTML[char] ?? char);
}

const SCRIPT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

export function escapeScript(args: readonly GoValue[]): string {
  return joined(args).replace(/[\\'"<>&=\0-\x1f]|[^\0-\x7f]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const known = SCRIPT[char];
    if (known !== undefined) return known;
    // A byte that is no UTF-8 counts as U+FFFD, which is printable, and stays as it is.
    return (code >= 0xdc80 && code <= 0xdcff) || isPrintable(code)
      ? char
      : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

export function escapeQuery(args: readonly GoValue[]): string {
  return toByteString(joined(args)).replace(/[^A-Za-z0-9\-_.~]/g, (byte) => {
    return byte === ' ' ? '+' : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function joined(args: readonly GoValue[]): string {
  const [only] = args;
  return args.length === 1 && typeof only === 'string' ? only : sprint(args.map(printableArgument));
}

/** An argument is a copy, so that methods of a pointer to it are out of reach. */
function printableArgument(value: GoValue): GoValue {
  return value instanceof GoStruct && value.type.kind === 'struct' ? value : printable(value);
}

/** As an action prints it: nothing as `<no value>`, what a pointer points to instead of the pointer. */
export function printable(value: GoValue): GoValue {
  if (value === null) return '<no value>';
  return value instanceof GoStruct && value.printed !== undefined ? value.printed : pointedTo(value);
}
