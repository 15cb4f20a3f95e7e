import { ANY } from '../template/value/go-type.js';
import { GoTyped, type GoValue } from '../template/value/go-value.js';

/** Where a value is set. A single value has no line: its file is `--set a=b`. */
export interface ValuePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A value that is replaced as a whole, with the place that set it. The merge treats it like any other. */
export class Traced extends GoTyped {
  readonly type = ANY;

  constructor(
    readonly value: GoValue,
    readonly place: ValuePlace,
  ) {
    super();
  }
}

export function isTracedNull(value: GoValue | undefined): boolean {
  return value === null || (value instanceof Traced && value.value === null);
}

export function tracedFlag(value: unknown): boolean | undefined {
  const plain = value instanceof Traced ? value.value : value;
  return typeof plain === 'boolean' ? plain : undefined;
}
