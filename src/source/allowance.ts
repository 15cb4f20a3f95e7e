/** How much may be kept: of one object, and of all together. */
export class Allowance {
  readonly most: number;
  #left: number;

  constructor(most: number, left = Number.POSITIVE_INFINITY) {
    this.most = most;
    this.#left = left;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes the bytes off, or says that they are too many. */
  takes(bytes: number): boolean {
    if (bytes > this.most || bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
