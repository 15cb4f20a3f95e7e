import { Fault } from '../../../model/faults/index.js';

export interface TarEntry {
  readonly name: string;
  /** `file` and `folder`; anything else is a link, a device or the like. */
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** Empty where the archive ends before the content does. */
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const FILES: ReadonlySet<string> = new Set(['0', '\0', '7', '']);

/** The entries of a tar archive: ustar, with the long names of GNU tar and pax. Content is shared with `archive`. */
export function* tarEntries(archive: Uint8Array): Generator<TarEntry> {
  let at = 0;
  let longName: string | undefined;
  let pax: ReadonlyMap<string, string> = new Map();
  while (at + BLOCK <= archive.length) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = Number(pax.get('size') ?? headerNumber(header, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw invalid('invalid tar header');
    const start = at + BLOCK;
    const bytes = archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'L') longName = headerText(bytes, 0, size);
    else if (type === 'x') pax = records(bytes);
    else if (type !== 'K' && type !== 'g') {
      const name = pax.get('path') ?? longName ?? headerName(header);
      const kind = type === '5' || name.endsWith('/') ? 'folder' : FILES.has(type) ? 'file' : 'other';
      if (kind === 'file' && bytes.length < size) throw invalid('unexpected EOF');
      yield { name, kind, size, bytes };
      longName = undefined;
      pax = new Map();
    }
  }
}

function headerName(header: Uint8Array): string {
  const name = headerText(header, 0, 100);
  const prefix = headerText(header, 257, 6).startsWith('ustar') ? headerText(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function headerText(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8');
}

/** Octal digits, or with the highest bit set a number in base 256. */
function headerNumber(bytes: Uint8Array, start: number, length: number): number {
  const first = bytes[start] ?? 0;
  if ((first & 0x80) === 0) {
    const digits = headerText(bytes, start, length).trim();
    if (!/^[0-7]*$/.test(digits)) throw invalid('invalid tar header');
    return digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  return bytes.subarray(start + 1, start + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
}

function checkSum(header: Uint8Array): void {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  if (sum !== headerNumber(header, 148, 8)) throw invalid('invalid tar header');
}

/** `<length> <key>=<value>\n`, where the length counts bytes and includes itself. */
function records(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(Buffer.from(bytes.subarray(at, Math.max(space, at))).toString('latin1'));
    if (space < 0 || !Number.isInteger(length) || length <= space - at || at + length > bytes.length)
      throw invalid('invalid tar header');
    const record = Buffer.from(bytes.subarray(space + 1, at + length - 1)).toString('utf8');
    const equals = record.indexOf('=');
    found.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return found;
}

function invalid(problem: string): Fault {
  return new Fault('CHART_INVALID', `archive/tar: ${problem}`);
}
