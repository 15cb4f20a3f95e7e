import { seededRandom, type Random } from '../../../src/apiserver/store/testing/random.js';

/** Choices for a generator; the same seed chooses the same. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** True this often. */
  is(likely: number): boolean {
    return this.#random.chance(likely);
  }

  /** A whole number below the limit. */
  number(limit: number): number {
    return this.#random.integer(limit);
  }

  one<T>(choices: readonly T[]): T {
    return this.#random.pick(choices);
  }

  /** As many indices as the number that falls between the two. */
  times(least: number, most: number): number[] {
    return Array.from({ length: least + this.number(most - least + 1) }, (_, index) => index);
  }
}
