/**
 * common: what git and chart sources share: limits, errors, the cache on disk and the clock. Takes options; does no
 * requests.
 */
export {
  PROTOCOLS,
  hasControl,
  maskUrl,
  parseAddress,
  sameServer,
  type Address,
  type Protocol,
} from './address.js';
export { Allowance } from './allowance.js';
export { BoundedMap } from './bounded-map.js';
export type { Clock, SourceDependencies } from './clock.js';
export { SOURCE_LIMITS, sizeText, type SourceLimits } from './limits.js';
export { removeUnused } from './remove-unused.js';
export { makeScrub } from './scrub.js';
export { Semaphore } from './semaphore.js';
