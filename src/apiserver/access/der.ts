/** The few ASN.1 DER forms that an X.509 certificate needs. */

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** One element: tag, length, contents. */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

export function setOf(...parts: readonly Buffer[]): Buffer {
  return element(0x31, ...parts);
}

/** A non-negative integer, as short as it can be; a leading zero keeps the sign bit clear. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return element(0x02, (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), shortest]) : shortest);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}

export function utf8(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octets(...contents: readonly Buffer[]): Buffer {
  return element(0x04, ...contents);
}

/** A bit string, by default without unused bits. */
export function bits(bytes: Buffer, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), bytes);
}

/** A context-specific tag; constructed ones wrap other elements. */
export function tagged(number: number, constructed: boolean, ...contents: readonly Buffer[]): Buffer {
  return element(0x80 | (constructed ? 0x20 : 0) | number, ...contents);
}

/** UTCTime up to 2049, GeneralizedTime after, as RFC 5280 wants. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : element(0x18, Buffer.from(`${digits}Z`));
}
