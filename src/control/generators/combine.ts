import { Fault } from '../../model/faults/index.js';
import { type JsonObject, objectsAt, own, put, textsAt, writeJson } from '../../model/json/index.js';
import { overlay, formatValue, type Params } from './params.js';

/** Every pair of what two generators make; the second one may be written with parameters of the first. */
export async function matrixParams(
  matrix: JsonObject,
  make: (generator: JsonObject, params: Params) => Promise<Params[]>,
  isGo: boolean,
): Promise<Params[]> {
  const generators = objectsAt(matrix, 'generators');
  const [first, second] = generators;
  if (first === undefined || second === undefined || generators.length > 2)
    throw new Fault('VALUE_INVALID', `matrix has ${generators.length} generators, but needs exactly two`, {
      where: 'matrix.generators',
    });
  const generated: Params[] = [];
  for (const one of await make(first, {})) {
    for (const other of await make(second, one)) generated.push(isGo ? overlay(other, one) : joined(one, other));
  }
  return generated;
}

/** Texts by name; the same name with two meanings is a mistake. */
function joined(one: Params, other: Params): Params {
  const result: Params = {};
  for (const key of Object.keys(one)) put(result, key, formatValue(own(one, key) ?? null));
  for (const key of Object.keys(other)) {
    const [value, before] = [formatValue(own(other, key) ?? null), own(result, key)];
    if (before !== undefined && before !== value)
      throw new Fault(
        'VALUE_INVALID',
        `found duplicate key ${key} with different value, a: ${String(before)} ,b: ${value}`,
        { where: 'matrix' },
      );
    put(result, key, value);
  }
  return result;
}

/**
 * What the first generator makes, changed by those after it where all merge keys are equal. What only they have makes
 * nothing.
 */
export async function mergeParams(
  merge: JsonObject,
  make: (generator: JsonObject) => Promise<Params[]>,
  isGo: boolean,
): Promise<Params[]> {
  const [generators, keys] = [objectsAt(merge, 'generators'), [...new Set(textsAt(merge, 'mergeKeys'))].sort()];
  if (generators.length < 2)
    throw new Fault('VALUE_INVALID', `merge has ${generators.length} generators, but needs at least two`, {
      where: 'merge.generators',
    });
  if (keys.length === 0)
    throw new Fault('VALUE_INVALID', 'merge has no mergeKeys, but needs at least one', { where: 'merge.mergeKeys' });
  const generated: Map<string, Params>[] = [];
  for (const generator of generators) generated.push(byKeys(await make(generator), keys));
  const [base = new Map<string, Params>(), ...overrides] = generated;
  for (const override of overrides) {
    for (const [key, params] of override) {
      const before = base.get(key);
      if (before !== undefined) base.set(key, isGo ? overlay(before, params) : { ...before, ...params });
    }
  }
  return [...base.values()];
}

function byKeys(all: readonly Params[], keys: readonly string[]): Map<string, Params> {
  const found = new Map<string, Params>();
  for (const params of all) {
    const key = writeJson(Object.fromEntries(keys.map((name) => [name, own(params, name) ?? null])));
    if (found.has(key))
      throw new Fault(
        'VALUE_INVALID',
        `the parameters of a generator of merge are not unique by mergeKeys. Duplicate key was ${key}`,
        { where: 'merge.mergeKeys' },
      );
    found.set(key, params);
  }
  return found;
}
