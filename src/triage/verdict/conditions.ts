import type { Json, JsonObject } from '../../model/index.js';
import type { Node } from '../graph/node.js';
import { objectsAt, textAt } from '../json-at.js';

/** The condition of a type, wherever the kind keeps its conditions. */
export function conditionOf(object: Json | undefined, type: string): JsonObject | undefined {
  return objectsAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

export function conditionIs(object: Json | undefined, type: string, status: string): boolean {
  return textAt(conditionOf(object, type), 'status') === status;
}

export function isNodeReady({ object }: Node): boolean {
  return conditionIs(object, 'Ready', 'True');
}

/** When a condition came to be as it is, in milliseconds. */
export function sinceOf(condition: Json | undefined): number | undefined {
  const time = Date.parse(textAt(condition, 'lastTransitionTime'));
  return Number.isNaN(time) ? undefined : time;
}
