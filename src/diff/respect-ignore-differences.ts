import { isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import {
  type Claim,
  below,
  inherited,
  isAtomic,
  liveClaims,
  listKind,
  pairItems,
  type Pairing,
  type Origins,
} from './fields/index.js';
import { findDifferences } from './compare.js';
import { setPath } from './jq/index.js';
import type { DiffRules } from './rules/index.js';

/** Both objects as they are and without what the rules ignore, at one place. */
interface ComparedSides<T> {
  readonly target: T;
  readonly kept: T;
  readonly live: T;
  readonly liveKept: T;
}

interface Context {
  readonly keptOrigins: Origins;
  readonly liveOrigins: Origins;
}

/**
 * The target as RespectIgnoreDifferences applies it: what the rules ignore keeps the value it has in live, and goes
 * from the target where live has none. What only live has is copied only where an apply would take it away.
 */
export function respectIgnoreDifferences(target: KubeObject, live: KubeObject, rules: DiffRules): KubeObject {
  const mine = rules.for(target);
  let result: JsonObject = target;
  if (mine.finders.length > 0) {
    const context: Context = { keptOrigins: new WeakMap(), liveOrigins: new WeakMap() };
    // Status belongs to controllers, whatever a rule says: to apply it would be to own it.
    const { status: _status, ...stated } = live;
    const liveKept = rules.strip(stated, mine, context.liveOrigins);
    const kept = rules.strip(target, mine, context.keptOrigins);
    result = restoreObject(context, { target, kept, live: stated, liveKept }, liveClaims(live, mine.claims), false);
  }
  if (mine.claims.trusted.size > 0) result = withTrusted(result, target, live, rules);
  return asObject(result, target);
}

/** A rule may have ignored away what makes it an object. */
function asObject(result: JsonObject, { apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject {
  const identity = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
  return {
    ...result,
    apiVersion,
    kind,
    metadata: { ...(isObject(result.metadata) ? result.metadata : {}), ...identity },
  };
}

/** Fields of managers that may differ keep what those managers wrote. */
function withTrusted(result: JsonObject, target: KubeObject, live: KubeObject, rules: DiffRules): JsonObject {
  let changed: Json = result;
  for (const { kind, trusted, targetPath, live: value } of findDifferences(target, live, rules)) {
    if (trusted && kind === 'changed' && value !== undefined) changed = setPath(changed, targetPath, value);
  }
  return isObject(changed) ? changed : result;
}

/** Written by the server, or not to be written by an apply. */
const NEVER_COPIED: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
  'deletionTimestamp',
]);

function restoreObject(
  context: Context,
  { target, kept, live, liveKept }: ComparedSides<JsonObject>,
  claims: readonly Claim[],
  atomic: boolean,
): JsonObject {
  const result: JsonObject = { ...kept };
  for (const key of Object.keys(live)) {
    const actual = own(live, key);
    const rest = own(liveKept, key);
    if (actual === undefined || actual === rest) continue;
    const wanted = own(target, key);
    const inner = below(claims, `f:${key}`);
    if (rest === undefined) {
      if ((wanted !== undefined || atomic || inner.some(({ owner }) => owner.isOurs)) && !NEVER_COPIED.has(key))
        put(result, key, actual);
    } else if (wanted !== undefined)
      put(
        result,
        key,
        restoreValue(
          context,
          { target: wanted, kept: own(kept, key) ?? null, live: actual, liveKept: rest },
          inner,
          atomic,
          key,
        ),
      );
  }
  return result;
}

function restoreValue(
  context: Context,
  four: ComparedSides<Json>,
  claims: readonly Claim[],
  atomic: boolean,
  name: string,
): Json {
  const { target, kept, live, liveKept } = four;
  const whole = atomic || isAtomic(claims);
  const inner = whole && !atomic ? inherited(claims) : claims;
  if (isObject(target) && isObject(kept) && isObject(live) && isObject(liveKept))
    return restoreObject(context, { target, kept, live, liveKept }, inner, whole);
  if (!isArray(target) || !isArray(kept) || !isArray(live) || !isArray(liveKept)) return kept;
  const pairing = whole ? undefined : pairItems(target, live, listKind(inner, name, [target, live]));
  return pairing === undefined
    ? restoreInOrder(context, { target, kept, live, liveKept }, inner)
    : restoreKeyed(context, { target, kept, live, liveKept }, inner, pairing, name);
}

/** The item of a shortened list that stood at an index before, or undefined where it went. */
function survivor(origins: Origins, list: JsonArray, index: number): Json | undefined {
  const places = origins.get(list);
  return places === undefined ? list[index] : list[places.indexOf(index)];
}

function restoreKeyed(
  context: Context,
  { target, kept, live, liveKept }: ComparedSides<JsonArray>,
  claims: readonly Claim[],
  { partners, liveKeys }: Pairing,
  name: string,
): JsonArray {
  const result: JsonArray = [];
  for (const [index, wanted] of target.entries()) {
    const partner = partners[index] ?? -1;
    const actual = live[partner];
    const left = survivor(context.keptOrigins, kept, index);
    const liveLeft = partner < 0 ? undefined : survivor(context.liveOrigins, liveKept, partner);
    if (actual === undefined) {
      if (left !== undefined) result.push(left);
    } else if (left === undefined || liveLeft === undefined) result.push(actual);
    else
      result.push(
        restoreValue(
          context,
          { target: wanted, kept: left, live: actual, liveKept: liveLeft },
          below(claims, liveKeys[partner] ?? ''),
          false,
          name,
        ),
      );
  }
  const paired = new Set(partners);
  for (const [index, actual] of live.entries()) {
    const isIgnored = survivor(context.liveOrigins, liveKept, index) === undefined;
    if (isIgnored && !paired.has(index) && below(claims, liveKeys[index] ?? '').some(({ owner }) => owner.isOurs))
      result.push(actual);
  }
  return result;
}

/** Lists that are applied as a whole: ignored items stay where they are in live, the others follow the target. */
function restoreInOrder(
  context: Context,
  { target, kept, live, liveKept }: ComparedSides<JsonArray>,
  claims: readonly Claim[],
): JsonArray {
  const result: JsonArray = [];
  const places = context.keptOrigins.get(kept) ?? [...kept.keys()];
  let next = 0;
  for (const [index, actual] of live.entries()) {
    const liveLeft = survivor(context.liveOrigins, liveKept, index);
    if (liveLeft === undefined) {
      result.push(actual);
      continue;
    }
    const left = kept[next];
    const wanted = target[places[next] ?? next];
    next++;
    if (left !== undefined && wanted !== undefined)
      result.push(
        restoreValue(context, { target: wanted, kept: left, live: actual, liveKept: liveLeft }, claims, true, ''),
      );
  }
  return [...result, ...kept.slice(next)];
}
