import { isArray, isObject, own } from '../../model/json/index.js';
import { assertOnPath, stepTo, type Cell } from './cell.js';
import { JqError, formatValue, sortedKeys, type Budget } from './values.js';

/** Everything directly below a value; objects by sorted key. */
export function* children(from: Cell, budget: Budget): Iterable<Cell> {
  const { value } = from;
  if (!isArray(value) && !isObject(value)) throw new JqError(`cannot iterate over: ${formatValue(value)}`);
  assertOnPath(from);
  if (isArray(value)) {
    for (const [at, item] of value.entries()) {
      budget.spend();
      yield stepTo(from, at, item);
    }
    return;
  }
  for (const key of sortedKeys(value)) {
    budget.spend();
    yield stepTo(from, key, own(value, key) ?? null);
  }
}
