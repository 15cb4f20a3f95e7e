/** Everything that moves a cursor, hides text or reverses its direction; line breaks and tabs are left. */
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const LINES = /[\n\t]/g;
/** A colour or weight of text. */
const STYLE = /(\u001b\[[0-9;:]{0,32}m)/;

/** Begins the line of progress anew. */
export const ERASE_LINE = '\r\u001b[K';

/** Text of strangers as a terminal may show it: control characters and marks of direction are spelled out. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, spelled);
}

/** The same for the cell of a table, which has one line. */
export function printableCell(text: string): string {
  return printable(text).replace(LINES, (char) => (char === '\n' ? '\\n' : ' '));
}

/** What a program printed keeps its colours. */
export function printableOutput(text: string): string {
  return text
    .split(STYLE)
    .map((part) => (STYLE.test(part) ? part : printable(part.replaceAll('\r\n', '\n'))))
    .join('');
}

function spelled(char: string): string {
  const code = char.charCodeAt(0);
  return code > 0xff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\x${code.toString(16).padStart(2, '0')}`;
}
