import type { GoValue } from '../template/value/go-value.js';
import type { ValidationError } from './validation-error.js';
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
  readonly problems: ValidationError[];
  readonly left: Unevaluated;
  readonly budget: { steps: number };
  add(text: string, causes?: readonly ValidationError[]): void;
  addAll(problem: ValidationError | undefined): void;
  /** Asks another schema about a part of the value. */
  part(schema: Schema, value: GoValue, token: string): ValidationError | undefined;
  /** Asks another schema about the same value. */
  self(schema: Schema): ValidationError | undefined;
  /** Asks another schema about a value of its own. */
  apart(schema: Schema, value: GoValue): readonly ValidationError[];
}
