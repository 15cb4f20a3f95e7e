/** ASN.1 in its DER form, as keys and certificates are written. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printable: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** One element: tag, length, contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export function sequence(...contents: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...contents);
}

export function setOf(...contents: readonly Uint8Array[]): Buffer {
  return der(TAG.set, ...contents);
}

/** A number that is not negative, as short as it can be; a leading zero keeps the sign bit clear. */
export function integer(value: bigint): Buffer {
  return der(TAG.integer, Buffer.from(evenHex(value, true), 'hex'));
}

/** Big-endian bytes in hexadecimal; `signed` keeps the first bit clear. */
export function evenHex(value: bigint, signed: boolean): string {
  const hex = value.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return signed && parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even;
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

export function utf8(text: string): Buffer {
  return der(TAG.utf8, Buffer.from(text));
}

export function boolean(value: boolean): Buffer {
  return der(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

export function bits(content: Uint8Array, unused = 0): Buffer {
  return der(TAG.bits, Buffer.from([unused]), content);
}

export function octets(content: Uint8Array): Buffer {
  return der(TAG.octets, content);
}

/** A context-specific tag; constructed ones wrap other elements. */
export function tagged(number: number, constructed: boolean, ...contents: readonly Uint8Array[]): Buffer {
  return der(0x80 | (constructed ? 0x20 : 0) | number, ...contents);
}

export interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** The elements that follow one another; undefined if the bytes are not DER. */
export function readDer(bytes: Uint8Array): DerNode[] | undefined {
  const buffer = Buffer.from(bytes);
  const nodes: DerNode[] = [];
  for (let at = 0; at < buffer.length; ) {
    const tag = buffer[at] ?? 0;
    const first = buffer[at + 1];
    if (first === undefined || first === 0x80 || first > 0x84) return undefined;
    const extra = first < 0x80 ? 0 : first & 0x7f;
    if (at + 2 + extra > buffer.length) return undefined;
    const length = extra === 0 ? first : buffer.readUIntBE(at + 2, extra);
    const start = at + 2 + extra;
    if (start + length > buffer.length) return undefined;
    nodes.push({ tag, content: buffer.subarray(start, start + length), whole: buffer.subarray(at, start + length) });
    at = start + length;
  }
  return nodes;
}
