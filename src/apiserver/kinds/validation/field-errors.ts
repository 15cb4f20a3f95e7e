import type { Json, JsonObject } from '../../../model/json/index.js';
import {
  duplicateField,
  forbiddenField,
  invalidField,
  notFoundField,
  requiredField,
  formatValue,
  tooLongField,
  unsupportedField,
  type FieldError,
} from '../../errors/index.js';
import { has, number, text } from '../../resources/index.js';

export const IMMUTABLE = 'field is immutable';
const NEGATIVE = 'must be greater than or equal to 0';

/** Collects what is wrong with an object, in the order in which it is found. */
export class FieldErrors {
  readonly errors: FieldError[] = [];

  invalid(field: string, value: Json | undefined, why = ''): void {
    if (why === '')
      this.errors.push({ field, type: 'FieldValueInvalid', detail: `Invalid value: ${formatValue(value)}` });
    else this.errors.push(invalidField(field, value, why));
  }

  /** An Invalid that does not show the value. */
  wrong(field: string, why: string): void {
    this.errors.push({ field, type: 'FieldValueInvalid', detail: `Invalid value: ${why}` });
  }

  required(field: string, why = ''): void {
    this.errors.push(requiredField(field, why));
  }

  forbidden(field: string, why: string): void {
    this.errors.push(forbiddenField(field, why));
  }

  duplicate(field: string, value: Json): void {
    this.errors.push(duplicateField(field, value));
  }

  notFound(field: string, value: Json, why = ''): void {
    const error = notFoundField(field, value);
    this.errors.push(why === '' ? error : { ...error, detail: `${error.detail}: ${why}` });
  }

  unsupported(field: string, value: Json, supported: readonly string[]): void {
    this.errors.push(unsupportedField(field, value, supported));
  }

  tooLong(field: string, max: number): void {
    this.errors.push(tooLongField(field, max));
  }

  tooMany(field: string, actual: number, max: number): void {
    this.errors.push({
      field,
      type: 'FieldValueTooMany',
      detail: `Too many: ${actual}: must have at most ${max} item${max === 1 ? '' : 's'}`,
    });
  }

  /** The server's own trouble, not the client's. */
  internal(why: string): void {
    this.errors.push({ field: '', type: 'InternalError', detail: `Internal error: ${why}` });
  }

  /** One Invalid for each complaint of a name rule. */
  invalidEach(field: string, value: Json, complaints: readonly string[]): void {
    for (const complaint of complaints) this.invalid(field, value, complaint);
  }

  nonNegative(object: JsonObject, path: string, ...keys: string[]): void {
    for (const key of keys) {
      const value = number(object, key);
      if (value !== undefined && value < 0) this.invalid(`${path}.${key}`, value, NEGATIVE);
    }
  }

  positive(object: JsonObject, path: string, key: string): void {
    const value = number(object, key) ?? 0;
    if (value <= 0) this.invalid(`${path}.${key}`, value, 'must be greater than zero');
  }

  /** A string field that must be one of a few words; an empty one is Required where `required`. */
  oneOf(
    object: JsonObject,
    path: string,
    key: string,
    supported: readonly string[],
    required: 'required' | 'optional' = 'optional',
  ): void {
    const value = text(object, key);
    if (value === '' && required === 'required') this.required(`${path}.${key}`);
    else if (!supported.includes(value) && (value !== '' || has(object, key)))
      this.unsupported(`${path}.${key}`, value, supported);
  }

  needs(object: JsonObject, path: string, ...keys: string[]): void {
    for (const key of keys) if (text(object, key) === '') this.required(`${path}.${key}`);
  }
}

/** Runs one check and gives what it found. */
export function collectFieldErrors(check: (to: FieldErrors) => void): FieldError[] {
  const to = new FieldErrors();
  check(to);
  return to.errors;
}
