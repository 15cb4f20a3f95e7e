import { Fault } from '../../model/faults/index.js';
import { parseQuantity, quantityToNumber } from '../../model/kubernetes/index.js';
import type { Json } from '../../model/json/index.js';

/** A quantity as a number; 0 if absent or invalid. */
export function amountOf(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  try {
    return quantityToNumber(parseQuantity(value));
  } catch (error) {
    if (error instanceof Fault) return 0;
    throw error;
  }
}
