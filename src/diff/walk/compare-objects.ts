import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { inherited, isAtomic, inOrder, listKind, pairItems, type Pairing } from '../fields/index.js';
import { findExtras } from './find-extras.js';
import { isDefault, isSameAsAbsent, meaningOf, sameScalar } from '../normalize/index.js';
import { fieldSpot, itemSpot, report, type Spot, type Walk } from './spot.js';

/** Reports where live lacks or contradicts the target, and what it has beyond it that we once put there. */
export function compareObjects(walk: Walk, target: JsonObject, live: JsonObject, spot: Spot): void {
  for (const key of Object.keys(target)) {
    const wanted = own(target, key);
    const actual = own(live, key);
    if (wanted === undefined || wanted === actual) continue;
    if (actual === undefined || actual === null) {
      if (!isSameAsAbsent(spot.name, key, wanted, walk.builtIn || spot.known?.typed === true))
        report(walk, 'missing', wanted, undefined, fieldSpot(spot, key));
    } else if (wanted === null) {
      if (!isEmpty(actual)) report(walk, 'changed', null, actual, fieldSpot(spot, key));
    } else compareValues(walk, wanted, actual, fieldSpot(spot, key));
  }
  if (spot.strict || walk.predicted) reportRest(walk, target, live, spot);
  else findExtras(walk, target, live, spot);
}

function isEmpty(value: Json): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** Everything that only live has. */
function reportRest(walk: Walk, target: JsonObject, live: JsonObject, spot: Spot): void {
  for (const key of Object.keys(live)) {
    const actual = own(live, key);
    if (own(target, key) !== undefined || actual === undefined || actual === null) continue;
    if (!walk.predicted && isDefault(spot.name, key, actual, walk.builtIn)) continue;
    report(walk, 'extra', undefined, actual, fieldSpot(spot, key));
  }
}

function compareValues(walk: Walk, target: Json, live: Json, spot: Spot): void {
  if (isObject(target) && isObject(live)) return compareObjects(walk, target, live, entered(walk, spot));
  if (isArray(target) && isArray(live)) return compareLists(walk, target, live, entered(walk, spot));
  if (sameScalar(target, live, spot.known?.meaning ?? meaningOf(walk.kind, spot.parent, spot.name))) return;
  report(walk, 'changed', target, live, spot);
}

/** Below a value that is one piece, its claims hold for every part. */
function entered(walk: Walk, spot: Spot): Spot {
  if (spot.strict || !isAtomic(spot.claims)) return spot;
  return { ...spot, strict: !walk.predicted, claims: inherited(spot.claims) };
}

function compareLists(walk: Walk, target: JsonArray, live: JsonArray, spot: Spot): void {
  const pairing = spot.strict ? undefined : pairItems(target, live, listKind(spot.claims, spot.name, [target, live]));
  if (pairing === undefined) return compareInOrder(walk, target, live, spot);
  if (!inOrder(pairing.partners)) report(walk, 'changed', target, live, spot);
  comparePaired(walk, target, live, spot, pairing);
  const paired = new Set(pairing.partners);
  for (const [index, actual] of live.entries()) {
    if (paired.has(index)) continue;
    const extra = itemSpot(walk, spot, [target, target.length], [live, index], pairing.liveKeys[index] ?? '');
    if (walk.predicted) report(walk, 'extra', undefined, actual, extra);
    else findExtras(walk, undefined, actual, extra);
  }
}

function comparePaired(
  walk: Walk,
  target: JsonArray,
  live: JsonArray,
  spot: Spot,
  { partners, liveKeys, targetKeys }: Pairing,
): void {
  for (const [index, wanted] of target.entries()) {
    const partner = partners[index] ?? -1;
    const actual = live[partner];
    if (actual === undefined)
      report(
        walk,
        'missing',
        wanted,
        undefined,
        itemSpot(walk, spot, [target, index], [live, live.length], targetKeys[index] ?? ''),
      );
    else if (wanted !== actual)
      compareValues(
        walk,
        wanted,
        actual,
        itemSpot(walk, spot, [target, index], [live, partner], liveKeys[partner] ?? ''),
      );
  }
}

/** Lists without keys: as long as each other, and equal item by item. */
function compareInOrder(walk: Walk, target: JsonArray, live: JsonArray, spot: Spot): void {
  if (target.length !== live.length) return report(walk, 'changed', target, live, spot);
  for (const [index, wanted] of target.entries()) {
    const actual = live[index] ?? null;
    if (wanted !== actual)
      compareValues(walk, wanted, actual, itemSpot(walk, spot, [target, index], [live, index], `i:${index}`));
  }
}
