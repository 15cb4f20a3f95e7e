import { TemplateError } from '../template-error.js';
import type { GoValue } from './go-type.js';

/** What values cost the function that gets or gives them: it looks at each character and each element. */
export function weightOf(values: readonly (GoValue | undefined)[], result: GoValue | undefined): number {
  let weight = weightOfOne(result);
  for (const value of values) weight += weightOfOne(value);
  return weight;
}

function weightOfOne(value: GoValue | undefined): number {
  if (typeof value === 'string') return value.length >> 4;
  return Array.isArray(value) ? value.length : 0;
}

const MAX_PARTS = 500_000;
/**
 * A level costs the walks up to 8 calls of the smallest function, 40 % of a stack of 10,000 for all levels; blocks and
 * pipelines inside one another may have used half of it before (see Budget).
 */
export const MAX_LEVELS = 500;

/**
 * Counts the parts of a value, and how deep they are, while a function walks through it. A list that holds the same
 * list twice, and so on forty times, is small in memory and endless to walk; one that is nested without end must not
 * use up the stack, because what JavaScript throws there can be anything.
 */
export class PartCount {
  #count = 0;
  #level = 0;

  get count(): number {
    return this.#count;
  }

  add(): void {
    if (++this.#count > MAX_PARTS)
      throw new TemplateError(
        'budget',
        `a value has more than ${MAX_PARTS} parts, those it holds several times counted each time`,
      );
  }

  /** A step into a map or list; `up` leaves it. */
  down(): void {
    if (++this.#level > MAX_LEVELS)
      throw new TemplateError(
        'budget',
        `a value is nested too deep: more than ${MAX_LEVELS} maps and lists inside one another`,
      );
  }

  up(): void {
    this.#level--;
  }
}

/** What JavaScript throws where a text or list would be longer than any can be. */
export function isTooLong(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.message.startsWith('Invalid string length') ||
      error.message.startsWith('Invalid array length') ||
      error.message.startsWith('Cannot create a string longer'))
  );
}

export function tooLong(): TemplateError {
  return new TemplateError('budget', 'the template makes a text or a list that is too long');
}
