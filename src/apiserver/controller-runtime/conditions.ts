import { own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { items, maybe, text } from '../resources/index.js';

export function conditionsOf(object: KubeObject): JsonObject[] {
  return items(maybe(object, 'status'), 'conditions');
}

export function findCondition(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((condition) => text(condition, 'type') === type);
}

/** The list with `next` in place of an older one of its type, at the end, unless status and reason stay the same. */
export function withCondition(conditions: readonly JsonObject[], next: JsonObject): JsonObject[] {
  const current = findCondition(conditions, text(next, 'type'));
  if (
    current !== undefined &&
    own(current, 'status') === own(next, 'status') &&
    own(current, 'reason') === own(next, 'reason')
  )
    return [...conditions];
  return [...withoutCondition(conditions, text(next, 'type')), next];
}

export function withoutCondition(conditions: readonly JsonObject[], type: string): JsonObject[] {
  return conditions.filter((condition) => text(condition, 'type') !== type);
}

/**
 * The same, keeping lastTransitionTime where the status did not change: for conditions that also have lastUpdateTime.
 */
export function withTransition(conditions: readonly JsonObject[], next: JsonObject): JsonObject[] {
  const current = findCondition(conditions, text(next, 'type'));
  const kept =
    current !== undefined && own(current, 'status') === own(next, 'status')
      ? { ...next, lastTransitionTime: own(current, 'lastTransitionTime') }
      : next;
  return withCondition(conditions, kept);
}
