import type { SpecialHandlers } from '../http/special.js';

/** Subresources of a pod that are more than storage: binding, eviction, log. */
export function podHandlers(): SpecialHandlers {
  return new Map();
}
