import { fromByteString, toByteString } from '../../template/value/go-text.js';

export interface WrapOptions {
  /** What stands between lines; nothing means a newline. */
  readonly separator: string;
  /** Whether words longer than a line are cut. */
  readonly cutsLongWords: boolean;
}

/** Breaks a text at spaces so that lines have at most `width` bytes; spaces at the start of a line go. */
export function wrapText(text: string, width: number, options: WrapOptions): string {
  if (text === '') return '';
  const bytes = toByteString(text);
  const separator = options.separator === '' ? '\n' : toByteString(options.separator);
  const most = Math.max(width, 1);
  let out = '';
  let at = 0;
  while (bytes.length - at > most) {
    if (bytes.charAt(at) === ' ') {
      at++;
      continue;
    }
    const cut = cutOf(bytes, at, most, options.cutsLongWords);
    out += bytes.slice(at, cut.end);
    if (cut.next !== undefined) out += separator;
    at = cut.next ?? bytes.length;
  }
  return fromByteString(out + bytes.slice(at));
}

interface Cut {
  readonly end: number;
  /** Where the next line starts; undefined where the text ends with this one. */
  readonly next: number | undefined;
}

function cutOf(bytes: string, at: number, most: number, cutsLongWords: boolean): Cut {
  const space = bytes.slice(at, at + most + 1).lastIndexOf(' ');
  if (space >= 0) return { end: at + space, next: at + space + 1 };
  if (cutsLongWords) return { end: at + most, next: at + most };
  const end = bytes.indexOf(' ', at + most);
  return end < 0 ? { end: bytes.length, next: undefined } : { end, next: end + 1 };
}

/** Cuts a text to `width` bytes with dots at its end, and at its start where `offset` lies beyond the fourth byte. */
export function abbreviate(text: string, offset: number, width: number): string {
  return fromByteString(abbreviateBytes(toByteString(text), offset, width));
}

function abbreviateBytes(bytes: string, offset: number, width: number): string {
  if (bytes === '' || width < 4) return '';
  if (bytes.length <= width) return bytes;
  const room = width - 3;
  let start = Math.min(offset, bytes.length);
  if (bytes.length - start < room) start = bytes.length - room;
  if (start <= 4) return `${bytes.slice(0, room)}...`;
  if (width < 7) return '';
  if (start + room < bytes.length) return `...${abbreviateBytes(bytes.slice(start), 0, room)}`;
  return `...${bytes.slice(bytes.length - room)}`;
}
