import type { Clock } from '../../cluster/index.js';

/** Timers that ring when a test says so; rooms do not lend each other what they test with. */
export class Timers implements Pick<Clock, 'steady' | 'after'> {
  #now = 0;
  readonly #set = new Set<{ readonly at: number; readonly ring: () => void }>();

  steady(): number {
    return this.#now;
  }

  after(milliseconds: number, ring: () => void): () => void {
    const timer = { at: this.#now + milliseconds, ring };
    this.#set.add(timer);
    return () => {
      this.#set.delete(timer);
    };
  }

  /** Milliseconds until each timer rings, soonest first. */
  pending(): number[] {
    return [...this.#set].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#soonest(end); next !== undefined; next = this.#soonest(end)) {
      this.#set.delete(next);
      this.#now = next.at;
      next.ring();
    }
    this.#now = end;
  }

  #soonest(end: number): { readonly at: number; readonly ring: () => void } | undefined {
    return [...this.#set].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
