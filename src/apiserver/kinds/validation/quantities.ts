import { compareQuantities as compare, parseQuantity, quantityValue } from '../../../model/kubernetes/index.js';

/** Quantities as they stand in objects: canonical text, made so by the decoder. */

export function compareQuantities(a: string, b: string): number {
  return compare(parseQuantity(a), parseQuantity(b));
}

/** In units of 10^-9, the finest grain there is. */
export function nanos(quantity: string): bigint {
  return quantityValue(parseQuantity(quantity), -9);
}

/** Whole units, rounded up. */
export function wholeUnits(quantity: string): bigint {
  return quantityValue(parseQuantity(quantity));
}
