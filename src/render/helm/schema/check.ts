import type { GoValue } from '../template/value.js';
import type { Problem } from './problem.js';
import type { Schema } from './schema.js';

/** What is left for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Unevaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** One value before one schema. */
export interface Check {
  readonly schema: Schema;
  readonly value: GoValue;
  readonly problems: Problem[];
  readonly left: Unevaluated;
  readonly budget: { steps: number };
  add(text: string, causes?: readonly Problem[]): void;
  addAll(problem: Problem | undefined): void;
  /** Asks another schema about a part of the value. */
  part(schema: Schema, value: GoValue, token: string): Problem | undefined;
  /** Asks another schema about the same value. */
  self(schema: Schema): Problem | undefined;
  /** Asks another schema about a value of its own. */
  apart(schema: Schema, value: GoValue): readonly Problem[];
}
