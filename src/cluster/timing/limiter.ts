/** Lets at most `most` tasks run at a time; the others wait in the order they came. */
export class Limiter {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(readonly max: number) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // The place goes straight to the next in line, so a newcomer cannot slip in between.
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
