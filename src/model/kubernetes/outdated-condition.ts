import { isArray, isObject } from '../json/index.js';
import type { KubeObject } from './object.js';

/** Whether a condition was written for an older generation: who wrote it has not looked at the object since. */
export function isConditionOutdated({ metadata, status }: KubeObject, type: string): boolean {
  const conditions = isObject(status) && isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  const seen = conditions.find((each) => each.type === type)?.observedGeneration;
  return typeof seen === 'number' && typeof metadata.generation === 'number' && seen < metadata.generation;
}
