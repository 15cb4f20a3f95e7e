import { seededRandom, type Random } from '../../../src/apiserver/store/testing/random.js';

/** Choices for a generator; the same seed chooses the same. */
export class Dice {
  private readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** An integer from `low` to `high`, both possible. */
  between(low: number, high: number): number {
    return low + this.random.integer(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.random.chance(probability);
  }

  pick<T>(items: readonly T[]): T {
    return this.random.pick(items);
  }

  /** Makes one of several things. */
  one<T>(makers: readonly (() => T)[]): T {
    return this.random.pick(makers)();
  }

  times<T>(low: number, high: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(low, high) }, (_, index) => make(index));
  }
}
