import type { Json } from '../../model/json/index.js';

/** A body that does not fit its type. The message is the one that Go's decoder gives. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeProblem';
  }
}

/** A value of the wrong JSON type; the decoder that catches it knows at which field. */
export class WrongTypeError extends Error {
  constructor(
    readonly found: string,
    readonly goType: string,
  ) {
    super(`json: cannot unmarshal ${found} into Go value of type ${goType}`);
    this.name = 'WrongType';
  }

  at(struct: string, field: string): string {
    return `json: cannot unmarshal ${this.found} into Go struct field ${struct}.${field} of type ${this.goType}`;
  }
}

/** How Go's decoder calls a JSON value. */
export function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
