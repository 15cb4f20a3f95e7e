import { formatGoNumber } from '../../model/go/index.js';
import type { Json } from '../../model/json/index.js';
import { invalidField, requiredField, tooLongField, unsupportedField, type FieldError } from '../errors/index.js';

/** One violated keyword. `name` is the path inside the value; composite messages (oneOf, ...) have none. */
export type Violation =
  | { readonly kind: 'required'; readonly name: string }
  | { readonly kind: 'enum'; readonly name: string; readonly value: Json; readonly allowed: readonly Json[] }
  | { readonly kind: 'too-long'; readonly name: string; readonly max: number }
  | { readonly kind: 'too-many'; readonly name: string; readonly actual: number; readonly max: number }
  | { readonly kind: 'type'; readonly name: string; readonly value: string; readonly message: string }
  | { readonly kind: 'invalid'; readonly name: string; readonly value: Json; readonly message: string }
  | { readonly kind: 'composite'; readonly message: string };

/**
 * What validating one value gave. `matched` counts successful checks: it picks the best failed branch of anyOf and
 * oneOf.
 */
export class ValueResult {
  readonly violations: Violation[] = [];
  readonly #seen = new Set<string>();
  matched = 0;

  add(violation: Violation): void {
    const text = JSON.stringify(violation, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.violations.push(violation);
  }

  merge(other: ValueResult): void {
    for (const violation of other.violations) this.add(violation);
    this.matched += other.matched;
  }

  get valid(): boolean {
    return this.violations.length === 0;
  }
}

/** Violations as field errors below `base`, with the words of Kubernetes. The root has the name `<nil>`. */
export function toFieldErrors(violations: readonly Violation[], base: string): FieldError[] {
  return violations.map((violation) => toFieldError(violation, base));
}

export function joinPath(base: string, name: string): string {
  const inner = name.replace(/^\./, '');
  if (inner === '') return base === '' ? '<nil>' : base;
  return base === '' ? inner : `${base}.${inner}`;
}

function toFieldError(violation: Violation, base: string): FieldError {
  if (violation.kind === 'composite') return invalidField(joinPath(base, ''), '', violation.message);
  const field = joinPath(base, violation.name);
  switch (violation.kind) {
    case 'required':
      return requiredField(field);
    case 'enum':
      return unsupportedField(
        field,
        violation.value,
        violation.allowed.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
      );
    case 'too-long':
      return tooLongField(field, violation.max);
    case 'too-many':
      return tooMany(field, violation.actual, violation.max);
    case 'type':
      return { ...invalidField(field, violation.value, violation.message), type: 'FieldValueTypeInvalid' };
    case 'invalid':
      return invalidField(field, violation.value, violation.message);
    default:
      return violation satisfies never;
  }
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return {
    field,
    type: 'FieldValueTooMany',
    detail: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  };
}

export const numberText = (value: number): string => formatGoNumber(value);
