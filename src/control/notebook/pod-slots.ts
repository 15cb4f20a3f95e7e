/** Who may start now, and who waits: never more at a time than there are places, and the longest waiting first. */
export class PodSlots {
  readonly #waiting = new Set<string>();
  /** Jobs whose pod is about to be created: it is not in the cache yet, but its slot is taken. */
  readonly #starting = new Set<string>();

  /** Whether one more may run: its slot is reserved until `leave`. Otherwise it waits. */
  acquire(key: string, running: number, max: number): boolean {
    if (this.#starting.has(key)) return true;
    const may = running + this.#starting.size < max;
    if (may) {
      this.#waiting.delete(key);
      this.#starting.add(key);
    } else this.#waiting.add(key);
    return may;
  }

  /** The pod exists in the cache, or was not created. Returns whether a slot was reserved. */
  release(key: string): boolean {
    return this.#starting.delete(key);
  }

  /** Dequeues the job that waits longest. */
  next(): string | undefined {
    const [first] = this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }
}
