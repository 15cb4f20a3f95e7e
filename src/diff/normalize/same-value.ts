import { compareQuantities, parseQuantity } from '../../model/kubernetes/index.js';
import { equal, isArray, isObject, type Json } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import { parseDuration } from '../../model/formats/index.js';

/** What a scalar means beyond its text. */
export type Meaning = 'plain' | 'quantity' | 'duration';

/** Maps whose values are quantities, in every kind and in those named. */
const ANYWHERE: ReadonlySet<string> = new Set(['limits', 'requests']);
const BY_KIND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['LimitRange', new Set(['min', 'max', 'default', 'defaultRequest', 'maxLimitRequestRatio'])],
  ['ResourceQuota', new Set(['hard'])],
  ['PersistentVolume', new Set(['capacity'])],
  ['RuntimeClass', new Set(['podFixed'])],
]);
/** Single fields that are quantities, each with the field it stands in. */
const FIELDS: ReadonlySet<string> = new Set([
  'emptyDir.sizeLimit',
  'resourceFieldRef.divisor',
  'target.averageValue',
  'target.value',
]);
/** Texts of people, or schemas: nothing in them is a quantity. */
const NEVER: ReadonlySet<string> = new Set(['ConfigMap', 'Secret', 'CustomResourceDefinition']);

export function meaningOf(kind: string, parent: string, name: string): Meaning {
  if (NEVER.has(kind)) return 'plain';
  return ANYWHERE.has(parent) || BY_KIND.get(kind)?.has(parent) === true || FIELDS.has(`${parent}.${name}`)
    ? 'quantity'
    : 'plain';
}

/** Whether two scalars say the same: `1000m` and `1` as quantities, `1h` and `60m` as durations. */
export function sameScalar(target: Json, live: Json, meaning: Meaning): boolean {
  if (equal(target, live)) return true;
  if (meaning === 'plain' || isObject(target) || isArray(target) || isObject(live) || isArray(live)) return false;
  return meaning === 'quantity' ? sameQuantity(target, live) : sameDuration(target, live);
}

function sameQuantity(a: Json, b: Json): boolean {
  const [one, two] = [quantityOrNothing(a), quantityOrNothing(b)];
  return one !== undefined && two !== undefined && compareQuantities(one, two) === 0;
}

function quantityOrNothing(value: Json): ReturnType<typeof parseQuantity> | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return orNothing(() => parseQuantity(value));
}

function sameDuration(a: Json, b: Json): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [one, two] = [orNothing(() => parseDuration(a)), orNothing(() => parseDuration(b))];
  return one !== undefined && one === two;
}

/** Text that is no quantity or duration is compared as text. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
