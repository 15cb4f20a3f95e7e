import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityText,
  type Quantity,
} from '../../model/kubernetes/index.js';
import { put, type JsonObject } from '../../model/json/index.js';
import { quantities } from '../kinds/index.js';

/** Resource name -> quantity, as requests, limits and quotas have it. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const NOTHING: Amounts = new Map();

export function amountsAt(holder: JsonObject | undefined, path: string): Map<string, Quantity> {
  return new Map(quantities(holder, path).map(([name, text]) => [name, parseQuantity(text)]));
}

export function sumOf(lists: Iterable<Amounts>): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const list of lists) for (const [name, quantity] of list) sum.set(name, plus(sum.get(name), quantity));
  return sum;
}

function plus(first: Quantity | undefined, second: Quantity): Quantity {
  return first === undefined ? second : addQuantities(first, second);
}

/** For every resource the larger amount. */
export function largestOf(lists: Iterable<Amounts>): Map<string, Quantity> {
  const largest = new Map<string, Quantity>();
  for (const list of lists) {
    for (const [name, quantity] of list) {
      const known = largest.get(name);
      if (known === undefined || compareQuantities(quantity, known) > 0) largest.set(name, quantity);
    }
  }
  return largest;
}

/** Only the named resources. */
export function only(amounts: Amounts, names: Iterable<string>): Map<string, Quantity> {
  const kept = new Map<string, Quantity>();
  for (const name of names) {
    const quantity = amounts.get(name);
    if (quantity !== undefined) kept.set(name, quantity);
  }
  return kept;
}

/** `pods=1,requests.cpu=500m`, in order of name. */
export function amountsText(amounts: Amounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${quantityText(amounts.get(name) ?? ZERO)}`)
    .join(',');
}

const ZERO = parseQuantity(0);

export function toList(amounts: Amounts): JsonObject {
  const list: JsonObject = {};
  for (const name of [...amounts.keys()].sort()) put(list, name, quantityText(amounts.get(name) ?? ZERO));
  return list;
}

/** Same resources and the same amounts, however they are written. */
export function sameAmounts(a: Amounts, b: Amounts): boolean {
  return (
    a.size === b.size &&
    [...a].every(([name, quantity]) => {
      const other = b.get(name);
      return other !== undefined && compareQuantities(quantity, other) === 0;
    })
  );
}
