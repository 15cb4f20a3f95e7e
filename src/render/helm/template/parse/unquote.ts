import { fromByteString } from '../value/go-text.js';

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** One character of a literal: a rune, or a single byte where it was written as \x or octal. */
interface Piece {
  readonly code: number;
  readonly isByte: boolean;
  readonly end: number;
}

/** The text of a literal in double or back quotes; undefined where Go says "invalid syntax". */
export function unquote(literal: string): string | undefined {
  const body = literal.slice(1, -1);
  if (literal.startsWith('`')) return body.replaceAll('\r', '');
  if (!body.includes('\\')) return body;
  let out = '';
  let strayBytes = '';
  for (let at = 0; at < body.length; ) {
    const piece = readPiece(body, at, '"');
    if (piece === undefined) return undefined;
    at = piece.end;
    // Bytes may form runes with their neighbours.
    if (piece.isByte) strayBytes += String.fromCharCode(piece.code);
    else {
      out += fromByteString(strayBytes) + String.fromCodePoint(piece.code);
      strayBytes = '';
    }
  }
  return out + fromByteString(strayBytes);
}

/** The rune of a character constant, the quotes included; a text says what is wrong. */
export function unquoteChar(literal: string): number | string {
  if (literal.startsWith("'", 1)) return 'invalid syntax';
  const piece = readPiece(literal, 1, "'");
  if (piece === undefined) return 'invalid syntax';
  if (piece.end !== literal.length - 1) return `malformed character constant: ${literal}`;
  return piece.code >= 0xdc80 && piece.code <= 0xdcff ? 0xfffd : piece.code;
}

function readPiece(text: string, at: number, quote: string): Piece | undefined {
  const code = text.codePointAt(at) ?? 0;
  if (code !== 0x5c) return { code, isByte: false, end: at + (code > 0xffff ? 2 : 1) };
  const letter = text.charAt(at + 1);
  const simple = letter === quote ? quote : SIMPLE.get(letter);
  if (simple !== undefined) return { code: simple.charCodeAt(0), isByte: false, end: at + 2 };
  const digits = HEX_DIGITS.get(letter);
  return digits === undefined ? readOctal(text, at) : readHex(text, at, digits);
}

function readOctal(text: string, at: number): Piece | undefined {
  const written = text.slice(at + 1, at + 4);
  if (!/^[0-7]{3}$/.test(written)) return undefined;
  const code = parseInt(written, 8);
  return code > 255 ? undefined : { code, isByte: code >= 0x80, end: at + 4 };
}

function readHex(text: string, at: number, digits: number): Piece | undefined {
  const end = at + 2 + digits;
  const written = text.slice(at + 2, end);
  if (written.length !== digits || !/^[\da-fA-F]+$/.test(written)) return undefined;
  const code = parseInt(written, 16);
  if (digits === 2) return { code, isByte: code >= 0x80, end };
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : { code, isByte: false, end };
}
