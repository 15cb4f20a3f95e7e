/** What is wrong with protobuf bytes, in the words of the real server's decoder. */
export class WireError extends Error {}

/** How a value travels; groups only to be skipped. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const SHORT_SHIFT = 28;
const MAX_SHIFT = 64n;
const MAX_LENGTH = 2 ** 31;

/** Reads one message from `at` to `end` of the bytes; every step stays inside them or throws a WireError. */
export class Wire {
  constructor(
    readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  get done(): boolean {
    return this.at >= this.end;
  }

  /** The next field's number and wire type; `message` is named where the bytes cannot be one. */
  tag(message: string): { readonly field: number; readonly type: number } {
    const value = this.#varint();
    const type = lowBits(value);
    const field = typeof value === 'number' ? value >> 3 : Number(BigInt.asIntN(32, value >> 3n));
    if (type === WIRE.endGroup) throw new WireError(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) throw new WireError(`proto: ${message}: illegal tag ${field} (wire type ${value})`);
    return { field, type };
  }

  /** A signed 64-bit integer: a number where that is exact, else a bigint. */
  int64(): number | bigint {
    const read = this.#varint();
    if (typeof read === 'number') return read;
    const value = BigInt.asIntN(64, read);
    const short = Number(value);
    return Number.isSafeInteger(short) ? short : value;
  }

  int32(): number {
    const read = this.#varint();
    return typeof read === 'number' ? read : Number(BigInt.asIntN(32, read));
  }

  bool(): boolean {
    return this.#varint() > 0;
  }

  double(): number {
    return this.bytes.readDoubleLE(this.#advance(8));
  }

  float(): number {
    return this.bytes.readFloatLE(this.#advance(4));
  }

  /** A length and as many bytes, as a message of its own. */
  nested(): Wire {
    const length = this.#length();
    const start = this.#advance(length);
    return new Wire(this.bytes, start, start + length);
  }

  /** All that is left. */
  rest(): Buffer {
    return this.bytes.subarray(this.at, this.end);
  }

  /** Passes over a value of the given wire type; groups may hold groups, which costs no stack. */
  skip(type: number): void {
    let depth = 0;
    for (let next = type; ; next = lowBits(this.#varint())) {
      switch (next) {
        case WIRE.varint:
          this.#varint();
          break;
        case WIRE.fixed64:
          this.#advance(8);
          break;
        case WIRE.bytes:
          this.#advance(this.#length());
          break;
        case WIRE.startGroup:
          depth++;
          break;
        case WIRE.endGroup:
          depth--;
          break;
        case WIRE.fixed32:
          this.#advance(4);
          break;
        default:
          throw new WireError(`proto: illegal wireType ${next}`);
      }
      if (depth === 0) return;
    }
  }

  #length(): number {
    const read = this.#varint();
    if (typeof read === 'number') return read;
    const length = BigInt.asIntN(64, read);
    if (length < 0n) throw new WireError('proto: negative length found during unmarshaling');
    return length > MAX_LENGTH ? MAX_LENGTH : Number(length);
  }

  #advance(count: number): number {
    const start = this.at;
    if (count > this.end - start) throw new WireError('unexpected EOF');
    this.at = start + count;
    return start;
  }

  /** Up to four bytes as a number, because nearly all are short; the others as 64 bits without sign. */
  #varint(): number | bigint {
    let short = 0;
    for (let shift = 0; shift < SHORT_SHIFT; shift += 7) {
      const byte = this.#byte();
      short |= (byte & 0x7f) << shift;
      if (byte < 0x80) return short;
    }
    let value = BigInt(short);
    for (let shift = BigInt(SHORT_SHIFT); shift < MAX_SHIFT; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('proto: integer overflow');
  }

  #byte(): number {
    const byte = this.bytes[this.at];
    if (this.at >= this.end || byte === undefined) throw new WireError('unexpected EOF');
    this.at++;
    return byte;
  }
}

function lowBits(value: number | bigint): number {
  return typeof value === 'number' ? value & 7 : Number(value & 7n);
}
