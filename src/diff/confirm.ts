import type { KubeObject } from '../model/kubernetes/index.js';
import { liveClaims, predictedClaims, type Difference } from './fields/index.js';
import { difference, findDifferences, newWalk, preparedSides } from './compare.js';
import { isDefault } from './normalize/index.js';
import type { DiffRules } from './rules/index.js';
import { compareObjects } from './walk/index.js';

/**
 * What really differs, given what the server says would become of the object: a dry run of our server-side apply.
 * Fields that nobody of us touches, such as what a webhook writes at every change, do not count. What a former manager
 * of ours still owns is no part of a dry run, since its fields move to us only with the first apply; those are added.
 */
export function confirm(target: KubeObject, live: KubeObject, predicted: KubeObject, rules: DiffRules): Difference[] {
  const mine = rules.for(target);
  const walk = newWalk(target, true);
  const sides = preparedSides(walk, predicted, live, rules, mine);
  const claims = [...liveClaims(live, mine.claims), ...predictedClaims(predicted, mine.claims)];
  compareObjects(walk, sides.target, sides.live, {
    place: undefined,
    claims,
    name: '',
    parent: '',
    strict: false,
    known: mine.known,
  });
  const seen = new Set(walk.found.map(({ pointer }) => pointer));
  const former = findDifferences(target, live, rules).filter(
    ({ lasting, pointer, parent, name, live: value }) =>
      lasting && !seen.has(pointer) && (value === undefined || !isDefault(parent, name, value, walk.builtIn)),
  );
  return [...walk.found, ...former].filter(({ trusted }) => !trusted).map(difference);
}
