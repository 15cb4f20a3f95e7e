import type { JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { liveClaims, type Difference } from './fields/index.js';
import { isBuiltIn, normalizeObjects } from './normalize/index.js';
import type { DiffRules, ObjectRules } from './rules/index.js';
import { type FoundDifference, type Walk, compareObjects } from './walk/index.js';

/**
 * Where live is not what git says: every field of the target, and every field that we once applied and the target no
 * longer has. Sees every real difference; where it cannot know how the server would store a value it may name one too
 * many, so the caller asks the server with a dry run and passes the answer to `confirm`.
 */
export function compare(target: KubeObject, live: KubeObject, rules: DiffRules): Difference[] {
  return findDifferences(target, live, rules)
    .filter(({ trusted }) => !trusted)
    .map(difference);
}

/** The differences with what this room needs to go on. */
export function findDifferences(target: KubeObject, live: KubeObject, rules: DiffRules): FoundDifference[] {
  const mine = rules.for(target);
  const walk = newWalk(target, false);
  const sides = preparedSides(walk, target, live, rules, mine);
  compareObjects(walk, sides.target, sides.live, {
    place: undefined,
    claims: liveClaims(live, mine.claims),
    name: '',
    parent: '',
    strict: false,
    known: mine.known,
  });
  return walk.found;
}

export function newWalk({ apiVersion, kind }: KubeObject, predicted: boolean): Walk {
  return {
    found: [],
    kind,
    builtIn: isBuiltIn(apiVersion) && kind !== 'CustomResourceDefinition',
    targetOrigins: new WeakMap(),
    liveOrigins: new WeakMap(),
    predicted,
  };
}

/** Both sides without what the rules ignore and what never counts. */
export function preparedSides(
  walk: Walk,
  target: KubeObject,
  live: KubeObject,
  rules: DiffRules,
  mine: ObjectRules,
): { target: JsonObject; live: JsonObject } {
  return normalizeObjects(
    rules.strip(target, mine, walk.targetOrigins),
    rules.strip(live, mine, walk.liveOrigins),
    mine.prepare,
  );
}

export function difference({ pointer, kind, target, live, owner, since }: FoundDifference): Difference {
  return {
    pointer,
    kind,
    ...(target === undefined ? {} : { target }),
    ...(live === undefined ? {} : { live }),
    owner,
    since,
  };
}
