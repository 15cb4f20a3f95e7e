import { asObject, entryOf, GoMap, itemsOf, setEntry, type GoObject, type GoValue } from '../template/value.js';
import { GoVersion } from './go-version.js';
import { isEmpty } from './truth.js';

/**
 * Merges one map into another as the mergo library does. Maps inside are merged in place; everything else is shared, so
 * a later `set` on one side shows on the other. Without `overwrite` only what is empty in the target is replaced.
 */
export function mergeMaps(target: GoObject, source: GoObject, overwrite: boolean): void {
  for (const key of Object.keys(source)) {
    const next = entryOf(source, key) ?? null;
    const present = entryOf(target, key);
    if (next === null) {
      if (overwrite) setEntry(target, key, null);
    } else mergeEntry(target, key, present, next, overwrite);
  }
}

function mergeEntry(target: GoObject, key: string, present: GoValue | undefined, next: GoValue, overwrite: boolean): void {
  const entries = mapEntries(next);
  const own = present === undefined ? undefined : mapEntries(present);
  if (entries !== undefined && own !== undefined && !(present instanceof GoMap && present.isNil)) mergeMaps(own, entries, overwrite);
  const isPresent = present !== undefined && !isEmpty(present);
  if (isPresent && itemsOf(next) !== undefined) {
    if (overwrite) setEntry(target, key, next);
    return;
  }
  if (isPresent && entries !== undefined && own !== undefined) return;
  if (overwrite || !isPresent) setEntry(target, key, next);
}

/** The entries of a map of any type. */
function mapEntries(value: GoValue): GoObject | undefined {
  return value instanceof GoMap ? value.entries : asObject(value);
}

const ZERO_VERSION = { major: 0n, minor: 0n, patch: 0n, prerelease: '', metadata: '', original: '' };

/** A copy that shares nothing with the original; types stay as they are. */
export function deepCopy(value: GoValue): GoValue {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (value instanceof GoMap) return value.isNil ? value : new GoMap(value.type, copyEntries(value.entries));
  const entries = asObject(value);
  if (entries !== undefined) return copyEntries(entries);
  // The copier sees no fields that Go hides, and a version has no others.
  if (value instanceof GoVersion) return new GoVersion(ZERO_VERSION, value.type);
  // Slices of other types hold plain values, which nobody can change.
  return value;
}

function copyEntries(entries: GoObject): GoObject {
  const copy: GoObject = {};
  for (const key of Object.keys(entries)) setEntry(copy, key, deepCopy(entryOf(entries, key) ?? null));
  return copy;
}
