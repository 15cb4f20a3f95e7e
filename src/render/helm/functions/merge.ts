import {
  asObject,
  entryOf,
  GoMap,
  itemsOf,
  setEntry,
  type GoObject,
  type GoValue,
} from '../template/value/go-value.js';
import type { PartCount } from '../template/value/weight.js';
import { GoVersion } from './go-version.js';
import { isEmpty } from './truth.js';

/**
 * Merges one map into another as the mergo library does. Maps inside are merged in place; everything else is shared, so
 * a later `set` on one side shows on the other. Without `overwrite` only what is empty in the target is replaced.
 */
export function mergeMaps(target: GoObject, source: GoObject, overwrite: boolean, parts: PartCount): void {
  parts.down();
  for (const key of Object.keys(source)) {
    parts.add();
    const next = entryOf(source, key) ?? null;
    const present = entryOf(target, key);
    if (next === null) {
      if (overwrite) setEntry(target, key, null);
    } else mergeEntry(target, key, [present, next], overwrite, parts);
  }
  parts.up();
}

function mergeEntry(
  target: GoObject,
  key: string,
  [present, next]: readonly [GoValue | undefined, GoValue],
  overwrite: boolean,
  parts: PartCount,
): void {
  const entries = mapEntries(next);
  const own = present === undefined ? undefined : mapEntries(present);
  if (entries !== undefined && own !== undefined && !(present instanceof GoMap && present.isNil))
    mergeMaps(own, entries, overwrite, parts);
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
export function deepCopy(value: GoValue, parts: PartCount): GoValue {
  parts.add();
  if (Array.isArray(value)) return copyItems(value, parts);
  if (value instanceof GoMap) return value.isNil ? value : new GoMap(value.type, copyEntries(value.entries, parts));
  const entries = asObject(value);
  if (entries !== undefined) return copyEntries(entries, parts);
  // The copier sees no fields that Go hides, and a version has no others.
  if (value instanceof GoVersion) return new GoVersion(ZERO_VERSION, value.type);
  // Slices of other types hold plain values, which nobody can change.
  return value;
}

function copyItems(items: readonly GoValue[], parts: PartCount): GoValue[] {
  parts.down();
  const copy = items.map((item) => deepCopy(item, parts));
  parts.up();
  return copy;
}

function copyEntries(entries: GoObject, parts: PartCount): GoObject {
  parts.down();
  const copy: GoObject = {};
  for (const key of Object.keys(entries)) setEntry(copy, key, deepCopy(entryOf(entries, key) ?? null, parts));
  parts.up();
  return copy;
}
