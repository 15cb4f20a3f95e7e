import { isArray, isObject, type Json, type JsonObject } from '../../model/index.js';

export type ConditionType =
  | 'DeletionError' | 'InvalidSpecError' | 'ComparisonError' | 'SyncError' | 'UnknownError'
  | 'SharedResourceWarning' | 'RepeatedResourceWarning' | 'ExcludedResourceWarning' | 'OrphanedResourceWarning' | 'DependencyWarning' | 'IgnoreDifferencesWarning' | 'AnnotationWarning';

export interface Condition {
  readonly type: ConditionType;
  readonly message: string;
}

/** The conditions as they are written: one that is said again in the same words keeps its time. */
export function writeConditions(conditions: readonly Condition[], before: Json | undefined, now: string): JsonObject[] {
  const known = isArray(before) ? before.filter(isObject) : [];
  const unique = new Map(conditions.map((condition) => [`${condition.type}\n${condition.message}`, condition]));
  return [...unique.values()]
    .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : a.message < b.message ? -1 : 1))
    .map(({ type, message }) => {
      const same = known.find((each) => each.type === type && each.message === message);
      return { type, message, lastTransitionTime: same?.lastTransitionTime ?? now };
    });
}
