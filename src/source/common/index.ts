/**
 * common: CONTRACT.
 */
export {
  PROTOCOLS,
  addressHash,
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
export { makeScrub } from './scrub.js';
export { Semaphore } from './semaphore.js';
