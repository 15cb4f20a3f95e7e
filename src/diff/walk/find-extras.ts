import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { type Claim, hasParts, isLeaf, itemKey, listKind, valueKey } from '../fields/index.js';
import { isDefault } from '../normalize/index.js';
import { fieldSpot, itemSpot, report, type Spot, type Walk } from './spot.js';

/** Reports what we once applied, live still has and the target no longer states, in as few pieces as possible. */
export function findExtras(walk: Walk, target: JsonObject | undefined, live: Json, spot: Spot): void {
  if (!spot.claims.some(isOurClaim)) return;
  if (target === undefined) return reportAll(walk, extrasOf(walk, live, spot));
  if (!isObject(live)) return;
  const seen = new Set<string>();
  for (const { owner, node } of spot.claims) {
    if (!owner.isOurs || node === undefined) continue;
    for (const element of Object.keys(node)) {
      const key = element.slice(2);
      if (!element.startsWith('f:') || own(target, key) !== undefined || seen.has(key)) continue;
      seen.add(key);
      const actual = own(live, key);
      if (actual !== undefined && actual !== null) reportAll(walk, extrasOf(walk, actual, fieldSpot(spot, key)));
    }
  }
}

interface Extra {
  readonly spot: Spot;
  readonly live: Json;
}

interface Extras {
  /** Everything here was ours alone. */
  readonly whole: boolean;
  readonly parts: readonly Extra[];
}

const NOTHING: Extras = { whole: false, parts: [] };

function reportAll(walk: Walk, { parts }: Extras): void {
  for (const { spot, live } of parts)
    if (!isDefault(spot.parent, spot.name, live, walk.builtIn)) report(walk, 'extra', undefined, live, spot);
}

function isOurClaim({ owner }: Claim): boolean {
  return owner.isOurs;
}

function extrasOf(walk: Walk, live: Json, spot: Spot): Extras {
  const evidence = spot.claims.filter(isOurClaim);
  if (evidence.length === 0) return NOTHING;
  const owned = evidence.some(({ node }) => node === undefined || isLeaf(node) || own(node, '.') !== undefined);
  if (owned && !spot.claims.some(isForeign)) return { whole: true, parts: [{ spot, live }] };
  if (isObject(live))
    return collapse(
      live,
      spot,
      Object.keys(live).map((key) => extrasOf(walk, own(live, key) ?? null, fieldSpot(spot, key))),
    );
  if (isArray(live))
    return collapse(
      live,
      spot,
      live.map((item, index) => extrasOf(walk, item, spotOfItem(walk, live, item, index, spot))),
    );
  return owned ? { whole: true, parts: [{ spot, live }] } : NOTHING;
}

/** Somebody else has a part of it, so it will not go as a whole. */
function isForeign({ owner, node }: Claim): boolean {
  return owner.shape && !owner.isOurs && node !== undefined && hasParts(node);
}

function collapse(live: Json, spot: Spot, below: readonly Extras[]): Extras {
  if (below.length > 0 && below.every(({ whole }) => whole)) return { whole: true, parts: [{ spot, live }] };
  return { whole: false, parts: below.flatMap(({ parts }) => parts) };
}

function spotOfItem(walk: Walk, live: JsonArray, item: Json, index: number, spot: Spot): Spot {
  const key = keyOfItem(listKind(spot.claims, spot.name, [live]), item, index);
  return itemSpot(walk, spot, [live, index], [live, index], key ?? '');
}

function keyOfItem(list: ReturnType<typeof listKind>, item: Json, index: number): string | undefined {
  if (list.kind === 'keyed') return itemKey(item, list.names);
  return list.kind === 'set' ? valueKey(item) : `i:${index}`;
}
