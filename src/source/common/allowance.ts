/** How much may be kept: of one object, and of all together. */
export class Allowance {
  readonly maxBytes: number;
  #left: number;

  constructor(most: number, left = Number.POSITIVE_INFINITY) {
    this.maxBytes = most;
    this.#left = left;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes the bytes off, or says that they are too many. */
  tryTake(bytes: number): boolean {
    if (bytes > this.maxBytes || bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
