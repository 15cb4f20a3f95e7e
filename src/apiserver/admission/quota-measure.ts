import type { Amounts } from './amounts.js';

/** One condition of a quota's scope: `PriorityClass In [high]`, `BestEffort Exists`. */
export interface ScopeRequirement {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** What quota needs to know of one object; computed once for each state of it. */
export interface Measure {
  /** What it is charged for at a time: a pod that should be gone no longer counts. */
  usage(now: Date): Amounts;
  matches(scope: ScopeRequirement): boolean;
  /** Until when the usage holds, in milliseconds since 1970; undefined: until the object changes. */
  readonly until?: number;
}

/** Does a single named value (or none) meet an operator? */
export function meets(value: string, { operator, values }: ScopeRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return value !== '';
    case 'DoesNotExist':
      return value === '';
    case 'In':
      return value !== '' && values.includes(value);
    case 'NotIn':
      return value === '' || !values.includes(value);
    default:
      return false;
  }
}
