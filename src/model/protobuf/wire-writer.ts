import { WIRE } from './wire.js';

const FIRST_SIZE = 1024;

/**
 * Writes a message from its end to its beginning: the length of what is nested is known by the time it has to be
 * written, without a second walk. Callers therefore write the last field first, and a value before its tag.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(FIRST_SIZE);
  #at = FIRST_SIZE;

  /** How much has been written. */
  get size(): number {
    return this.#bytes.length - this.#at;
  }

  tag(field: number, type: number): void {
    this.varint(field * 8 + type);
  }

  /** The length of what was written since `size` was `before`, and the tag of its field. */
  lengthSince(before: number, field: number): void {
    this.varint(this.size - before);
    this.tag(field, WIRE.bytes);
  }

  /** Negative numbers as the 64 bits of their two's complement. */
  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= 0x7f_ff_ff_ff) this.#short(value);
    else this.#long(BigInt.asUintN(64, BigInt(value)));
  }

  double(value: number): void {
    this.#grow(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  float(value: number): void {
    this.#grow(4);
    this.#at -= 4;
    this.#bytes.writeFloatLE(value, this.#at);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#grow(length);
    this.#at -= length;
    this.#bytes.write(value, this.#at, length, 'utf8');
  }

  raw(value: Uint8Array): void {
    this.#grow(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  done(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  #short(value: number): void {
    let count = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) count++;
    this.#grow(count);
    this.#at -= count;
    let rest = value;
    for (let at = this.#at; ; at++) {
      if (rest <= 0x7f) {
        this.#bytes[at] = rest;
        return;
      }
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
  }

  #long(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  /** Room in front: what is there moves to the end of a larger buffer. */
  #grow(count: number): void {
    if (count <= this.#at) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.size + count + FIRST_SIZE));
    const at = larger.length - this.size;
    this.#bytes.copy(larger, at, this.#at);
    this.#bytes = larger;
    this.#at = at;
  }
}
