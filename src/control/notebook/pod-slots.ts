/** Who may start now, and who waits: never more at a time than there are places, and the longest waiting first. */
export class PodSlots {
  readonly #waiting = new Set<string>();
  /** Those whose pod is about to be made: it is in no list yet, and nobody else may have its place. */
  readonly #starting = new Set<string>();

  /** Whether one more may run beside so many: then its place is kept until `leave`. Otherwise it waits. */
  acquire(key: string, running: number, max: number): boolean {
    if (this.#starting.has(key)) return true;
    const may = running + this.#starting.size < max;
    if (may) {
      this.#waiting.delete(key);
      this.#starting.add(key);
    } else this.#waiting.add(key);
    return may;
  }

  /** The pod is made and known, or is not made after all. Whether a place was kept. */
  release(key: string): boolean {
    return this.#starting.delete(key);
  }

  /** Takes the longest waiting out of the line. */
  next(): string | undefined {
    const [first] = this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }
}
