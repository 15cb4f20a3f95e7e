/** Headers of tar as ustar writes them, with the long names and sizes of GNU tar and pax. */

export const TAR_BLOCK = 512;

export interface TarHeader {
  readonly name: string;
  /** `0` a file, `5` a folder, `2` a link, `L` and `x` what belongs to the next header, and others. */
  readonly type: string;
  readonly size: number;
  /** Where a link leads. */
  readonly target: string;
}

/** Whether a file begins as a tar archive does. */
export function isTar(start: Uint8Array): boolean {
  return start.length >= TAR_BLOCK && headerText(start, 257, 5) === 'ustar';
}

/** Two of them end an archive. */
export function isEmptyBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** One block as a header; undefined if it is none. */
export function readTarHeader(block: Uint8Array): TarHeader | undefined {
  const size = headerNumber(block, 124, 12);
  if (size === undefined || checkSum(block) !== headerNumber(block, 148, 8)) return undefined;
  return {
    name: headerName(block),
    type: String.fromCharCode(block[156] ?? 0),
    size,
    target: headerText(block, 157, 100),
  };
}

/** The text of a GNU long name. */
export function tarText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

/** Records of pax: `<length> <key>=<value>\n`, where the length counts bytes and includes itself. */
export function paxRecords(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(Buffer.from(bytes.subarray(at, Math.max(space, at))).toString('latin1'));
    if (space < 0 || !Number.isInteger(length) || length <= space - at || at + length > bytes.length) return undefined;
    const record = Buffer.from(bytes.subarray(space + 1, at + length - 1)).toString('utf8');
    const equals = record.indexOf('=');
    found.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return found;
}

function headerName(block: Uint8Array): string {
  const name = headerText(block, 0, 100);
  const prefix = headerText(block, 257, 6).startsWith('ustar') ? headerText(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function headerText(block: Uint8Array, start: number, length: number): string {
  return tarText(block.subarray(start, start + length));
}

/** Octal digits, or with the highest bit set a number in base 256. */
function headerNumber(block: Uint8Array, start: number, length: number): number | undefined {
  const first = block[start] ?? 0;
  if ((first & 0x80) === 0) {
    const digits = headerText(block, start, length).trim();
    if (!/^[0-7]*$/.test(digits)) return undefined;
    return digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  return block.subarray(start + 1, start + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
}

/** The sum of all bytes, those of the sum itself counted as spaces. */
function checkSum(block: Uint8Array): number {
  let sum = 0;
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}
