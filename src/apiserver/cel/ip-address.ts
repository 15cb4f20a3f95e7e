/** An IP address as a number, with its family's width in bits. */
export interface Address {
  readonly width: 32 | 128;
  readonly value: bigint;
  /** An IPv4 address inside IPv6 (::ffff:1.2.3.4). */
  readonly mapped: boolean;
}

/** Reads an IPv4 or IPv6 address without a zone; undefined where it is neither. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return { width: 32, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n), mapped: false };
}

function parseV6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? '');
  const tail = halves.length === 2 ? groups(halves[1] ?? '') : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<number>(missing).fill(0), ...tail];
  const value = all.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
  return { width: 128, value, mapped: value >> 32n === 0xffffn };
}

/** 16-bit groups; the last may be an IPv4 address. */
function groups(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const embedded = last.includes('.') ? parseV4(last) : undefined;
  if (last.includes('.') && embedded === undefined) return undefined;
  const plain = embedded === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined;
  const tail = embedded === undefined ? [] : [Number(embedded.value >> 16n), Number(embedded.value & 0xffffn)];
  return [...plain.map((part) => parseInt(part, 16)), ...tail];
}

/** The canonical form (RFC 5952). */
export function addressText({ width, value }: Address): string {
  if (width === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const all = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - index * 16)) & 0xffffn));
  let start = -1;
  let length = 1;
  for (let from = 0; from < 8; from++) {
    let to = from;
    while (to < 8 && all[to] === 0) to++;
    if (to - from > length) [start, length] = [from, to - from];
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return start < 0 ? hex(all) : `${hex(all.slice(0, start))}::${hex(all.slice(start + length))}`;
}
