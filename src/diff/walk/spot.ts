import { formatPointer, type Json, type JsonArray } from '../../model/json/index.js';
import { type Claim, below, ownerOf, type Difference, type Origins } from '../fields/index.js';
import type { KnownField } from '../normalize/index.js';

/** A place in both objects; an item of a list may stand elsewhere in each. */
interface Place {
  readonly up: Place | undefined;
  readonly target: string | number;
  readonly live: string | number;
}

/** A difference with what only this room needs to know. */
export interface FoundDifference extends Difference {
  readonly targetPath: readonly (string | number)[];
  /** The last field name of its path and the one above, for what is known about names. */
  readonly name: string;
  readonly parent: string;
  /** Fields of a manager that we took over from: a dry run does not take them away, the apply will. */
  readonly lasting: boolean;
  readonly trusted: boolean;
}

export interface Walk {
  readonly found: FoundDifference[];
  readonly kind: string;
  readonly builtIn: boolean;
  readonly targetOrigins: Origins;
  readonly liveOrigins: Origins;
  /** The server's prediction against live: both are complete, and only what our manager touches counts. */
  readonly predicted: boolean;
}

/** What the walk knows about the place it is at. */
export interface Spot {
  readonly place: Place | undefined;
  readonly claims: readonly Claim[];
  /** The nearest field name, and the one above it. */
  readonly name: string;
  readonly parent: string;
  /** Inside a value that is one piece: what only live has is a difference too. */
  readonly strict: boolean;
  readonly known: KnownField | undefined;
}

export function fieldSpot(spot: Spot, key: string): Spot {
  return {
    place: { up: spot.place, target: key, live: key },
    claims: below(spot.claims, `f:${key}`),
    name: key,
    parent: spot.name,
    strict: spot.strict,
    known: spot.known?.fields.get(key),
  };
}

/** The spot of an item: its lists as compared, its indexes in them, and its element text, empty where it has none. */
export function itemSpot(
  walk: Walk,
  spot: Spot,
  [target, at]: [JsonArray, number],
  [live, liveAt]: [JsonArray, number],
  key: string,
): Spot {
  const place: Place = {
    up: spot.place,
    target: walk.targetOrigins.get(target)?.[at] ?? at,
    live: walk.liveOrigins.get(live)?.[liveAt] ?? liveAt,
  };
  // In a prediction, an item without its key counts as part of the list.
  const unknown = walk.predicted ? spot.claims : [];
  return { ...spot, place, claims: key === '' ? unknown : below(spot.claims, key) };
}

export function report(
  walk: Walk,
  kind: Difference['kind'],
  target: Json | undefined,
  live: Json | undefined,
  spot: Spot,
): void {
  if (walk.predicted && !isOurs(kind, spot.claims)) return;
  const [targetPath, livePath] = pathsOf(spot.place);
  walk.found.push({
    pointer: formatPointer(kind === 'missing' ? targetPath : livePath),
    kind,
    ...(target === undefined ? {} : { target }),
    ...(live === undefined ? {} : { live }),
    ...(kind === 'missing' ? { owner: '', since: '' } : ownerOf(spot.claims)),
    targetPath,
    name: spot.name,
    parent: spot.parent,
    // Inside a value that is one piece the dry run already replaced it all.
    lasting: kind === 'extra' && !spot.strict && spot.claims.some(({ owner }) => owner.isOurs && !owner.current),
    trusted: spot.claims.some(({ owner }) => owner.trusted),
  });
}

/** In a prediction, fields that a webhook or the server itself changes at every write are nobody's difference. */
function isOurs(kind: Difference['kind'], claims: readonly Claim[]): boolean {
  return claims.some(({ owner }) => owner.isOurs || (owner.predicted && kind !== 'extra'));
}

function pathsOf(place: Place | undefined): [(string | number)[], (string | number)[]] {
  const target: (string | number)[] = [];
  const live: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.up) {
    target.push(at.target);
    live.push(at.live);
  }
  return [target.reverse(), live.reverse()];
}
