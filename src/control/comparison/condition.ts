import { compareText } from '../../model/go/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';

export type ConditionType =
  | 'DeletionError'
  | 'InvalidSpecError'
  | 'ComparisonError'
  | 'SyncError'
  | 'UnknownError'
  | 'SharedResourceWarning'
  | 'RepeatedResourceWarning'
  | 'ExcludedResourceWarning'
  | 'OrphanedResourceWarning'
  | 'DependencyWarning'
  | 'IgnoreDifferencesWarning'
  | 'AnnotationWarning'
  | 'HookPermissionWarning'
  | 'StatusSizeWarning'
  | 'SettingsWarning';

export interface Condition {
  readonly type: ConditionType;
  readonly message: string;
}

/** More of one type would only fill the status. */
const MAX_OF_A_TYPE = 50;
const MAX_MESSAGE_LENGTH = 4096;

/** The conditions as they are written; one with the same type and message keeps its time. */
export function writeConditions(conditions: readonly Condition[], before: Json | undefined, now: string): JsonObject[] {
  const known = isArray(before) ? before.filter(isObject) : [];
  const cut = conditions.map(({ type, message }) => ({
    type,
    message: message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message,
  }));
  const unique = new Map(cut.map((condition) => [`${condition.type}\n${condition.message}`, condition]));
  return limitPerType(
    [...unique.values()].sort((a, b) => compareText(a.type, b.type) || compareText(a.message, b.message)),
  ).map(({ type, message }) => {
    const same = known.find((each) => each.type === type && each.message === message);
    return {
      type,
      message,
      lastTransitionTime: typeof same?.lastTransitionTime === 'string' ? same.lastTransitionTime : now,
    };
  });
}

function limitPerType(sorted: readonly Condition[]): Condition[] {
  const kept: Condition[] = [];
  for (const type of new Set(sorted.map((condition) => condition.type))) {
    const all = sorted.filter((condition) => condition.type === type);
    kept.push(...all.slice(0, MAX_OF_A_TYPE));
    if (all.length > MAX_OF_A_TYPE) kept.push({ type, message: `and ${all.length - MAX_OF_A_TYPE} more of these` });
  }
  return kept;
}
