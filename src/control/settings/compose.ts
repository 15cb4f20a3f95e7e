import type { Finding } from '../../health/index.js';
import { isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { MAPS, type Entry, type MapName, type FieldViolation } from './entry.js';
import { misplacedDifferences } from './misplaced-differences.js';
import { fieldsWithoutEffect, readEntries } from './read-entries.js';
import { isUsableCheck, validateEntries, type EntryViolation } from './validate-entries.js';

/** The data of one ConfigMap by key. */
export type ConfigMapData = ReadonlyMap<string, string>;

/** The conditions that depend only on the spec of an ArgoCD object. */
export interface SpecValidation {
  readonly entries: readonly Entry[];
  readonly violations: readonly EntryViolation[];
  readonly fieldViolations: readonly FieldViolation[];
  readonly advice: readonly Finding[];
  readonly misplaced: string | undefined;
  readonly withoutEffect: readonly string[];
}

/** The ConfigMaps that an ArgoCD object defines. */
export interface Composition extends Omit<SpecValidation, 'entries' | 'violations'> {
  readonly data: ReadonlyMap<MapName, ConfigMapData>;
  /** The source field of each key. */
  readonly entries: ReadonlyMap<MapName, ReadonlyMap<string, Entry>>;
  readonly violations: readonly (EntryViolation & { readonly isKept: boolean })[];
}

/** Parses and runs every script of a spec, which is slow: the result is cached per spec. */
export function validateSpec(argocd: KubeObject, now: () => number): SpecValidation {
  const spec = isObject(argocd.spec) ? argocd.spec : {};
  const { entries, violations: fieldViolations } = readEntries(spec);
  // The last entry of a key wins.
  const last = [...new Map(entries.map((entry) => [`${entry.map}/${entry.key}`, entry])).values()];
  return {
    entries: last,
    fieldViolations,
    ...validateEntries(argocd, last, now),
    misplaced: misplacedDifferences(spec),
    withoutEffect: fieldsWithoutEffect(spec),
  };
}

/**
 * `before` is what the ConfigMaps held by our own hand: in place of a key that is refused its last good value stays,
 * because a kind without its check would hold no wave any more.
 */
export function compose(judgement: SpecValidation, before: ReadonlyMap<MapName, ConfigMapData>): Composition {
  const { entries, violations, ...rest } = judgement;
  const byMap = new Map(
    MAPS.map((map) => [map, new Map(entries.filter((entry) => entry.map === map).map((entry) => [entry.key, entry]))]),
  );
  const data = new Map(
    MAPS.map((map) => [map, new Map([...(byMap.get(map) ?? [])].map(([key, { value }]) => [key, value]))]),
  );
  const messages = violations.map((violation) => {
    const { map, key } = violation.entry;
    const kept = before.get(map)?.get(key);
    const isKept = kept !== undefined && kept !== violation.entry.value && isUsableCheck(key, kept);
    if (isKept) data.get(map)?.set(key, kept);
    else data.get(map)?.delete(key);
    return { ...violation, isKept };
  });
  return { ...rest, data, entries: byMap, violations: messages };
}
