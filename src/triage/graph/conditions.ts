import { type Json, type JsonObject, objectsAt } from '../../model/json/index.js';
import type { Node } from './node.js';
import { textAt } from '../json/index.js';

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

/** Phases that operators use for work in progress. */
export function isUnfinished(object: Json | undefined): boolean {
  return /(Pending|Running|Initializing|Building|BuildComplete|Queued|InProgress|Progressing)$/.test(
    textAt(object, 'status', 'phase'),
  );
}

/** When a condition came to be as it is, in milliseconds. */
export function sinceOf(condition: Json | undefined): number | undefined {
  const time = Date.parse(textAt(condition, 'lastTransitionTime'));
  return Number.isNaN(time) ? undefined : time;
}
