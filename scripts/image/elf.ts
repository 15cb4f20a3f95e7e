import { readFileSync } from 'node:fs';

const MAGIC = 0x7f454c46;
const [PT_LOAD, PT_DYNAMIC, PT_INTERP] = [1, 2, 3];
const [DT_NULL, DT_NEEDED, DT_STRTAB] = [0n, 1n, 5n];

/** What a program of 64-bit Linux loads: its interpreter by path, libraries by name; nothing for other files. */
export function neededBy(file: string): { readonly interpreter: string | undefined; readonly libraries: string[] } {
  const bytes = readFileSync(file);
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== MAGIC) return { interpreter: undefined, libraries: [] };
  const headers = programHeaders(bytes);
  const interpreter = headers.find(({ type }) => type === PT_INTERP);
  const dynamic = headers.find(({ type }) => type === PT_DYNAMIC);
  return {
    interpreter: interpreter === undefined ? undefined : stringAt(bytes, interpreter.offset),
    libraries: dynamic === undefined ? [] : librariesOf(bytes, headers, dynamic),
  };
}

interface Header {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly size: number;
}

function programHeaders(bytes: Buffer): Header[] {
  const [start, size, count] = [Number(bytes.readBigUInt64LE(32)), bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return {
      type: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: bytes.readBigUInt64LE(at + 16),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

function librariesOf(bytes: Buffer, headers: readonly Header[], dynamic: Header): string[] {
  const names: number[] = [];
  let strings = 0n;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    const [tag, value] = [bytes.readBigInt64LE(at), bytes.readBigUInt64LE(at + 8)];
    if (tag === DT_NULL) break;
    if (tag === DT_NEEDED) names.push(Number(value));
    if (tag === DT_STRTAB) strings = value;
  }
  const segment = headers.find(
    ({ type, address, size }) => type === PT_LOAD && strings >= address && strings < address + BigInt(size),
  );
  if (segment === undefined) return [];
  const table = segment.offset + Number(strings - segment.address);
  return names.map((name) => stringAt(bytes, table + name));
}

function stringAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, bytes.indexOf(0, at));
}
