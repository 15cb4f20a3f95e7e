import type { Finding } from '../../health/index.js';
import { isObject, type KubeObject } from '../../model/index.js';
import { MAPS, type Entry, type MapName, type Objection } from './entry.js';
import { misplacedDifferences } from './misplaced.js';
import { fieldsWithoutEffect, readEntries } from './read-entries.js';
import { isUsableCheck, judgeEntries, type Refusal } from './refusals.js';

/** The data of one ConfigMap by key. */
export type Data = ReadonlyMap<string, string>;

/** What there is to say about the spec of an ArgoCD object, whatever the cluster holds. */
export interface Judgement {
  readonly entries: readonly Entry[];
  readonly refusals: readonly Refusal[];
  readonly objections: readonly Objection[];
  readonly advice: readonly Finding[];
  readonly misplaced: string | undefined;
  readonly withoutEffect: readonly string[];
}

/** What an ArgoCD object makes of its ConfigMaps. */
export interface Composition extends Omit<Judgement, 'entries' | 'refusals'> {
  readonly data: ReadonlyMap<MapName, Data>;
  /** Who says each key. */
  readonly entries: ReadonlyMap<MapName, ReadonlyMap<string, Entry>>;
  readonly refusals: readonly (Refusal & { readonly isKept: boolean })[];
}

/** Runs and reads every script of a spec, which takes its time: the answer is the same as long as the spec is. */
export function judge(argocd: KubeObject, now: () => number): Judgement {
  const spec = isObject(argocd.spec) ? argocd.spec : {};
  const { entries, objections } = readEntries(spec);
  // Of two that say the same key the later counts.
  const last = [...new Map(entries.map((entry) => [`${entry.map}/${entry.key}`, entry])).values()];
  return {
    entries: last,
    objections,
    ...judgeEntries(argocd, last, now),
    misplaced: misplacedDifferences(spec),
    withoutEffect: fieldsWithoutEffect(spec),
  };
}

/**
 * `before` is what the ConfigMaps held by our own hand: in place of a key that is refused its last good value stays,
 * because a kind without its check would hold no wave any more.
 */
export function compose(judgement: Judgement, before: ReadonlyMap<MapName, Data>): Composition {
  const { entries, refusals, ...rest } = judgement;
  const byMap = new Map(
    MAPS.map((map) => [map, new Map(entries.filter((entry) => entry.map === map).map((entry) => [entry.key, entry]))]),
  );
  const data = new Map(
    MAPS.map((map) => [map, new Map([...(byMap.get(map) ?? [])].map(([key, { value }]) => [key, value]))]),
  );
  const told = refusals.map((refusal) => {
    const { map, key } = refusal.entry;
    const kept = before.get(map)?.get(key);
    const isKept = kept !== undefined && kept !== refusal.entry.value && isUsableCheck(key, kept);
    if (isKept) data.get(map)?.set(key, kept);
    else data.get(map)?.delete(key);
    return { ...refusal, isKept };
  });
  return { ...rest, data, entries: byMap, refusals: told };
}
