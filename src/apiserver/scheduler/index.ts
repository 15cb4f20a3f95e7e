/**
 * scheduler: assigns pods to nodes by the filters, scores, preemption and messages of kube-scheduler's default profile,
 * and chooses volumes for claims. Takes a ControllerHost and gives a controller; node and volume matching are also
 * exported as functions of objects.
 */
export { findVolume, isBound, isFor, sizeOf } from './match-volume.js';
export { matchesNodeRules, matchesTaint, toleratesTaint } from './node-match.js';
export { podRequests } from './pod-requests.js';
export { scheduler } from './scheduler.js';
export {
  BINDER,
  CSI_DRIVER,
  DEFAULT_CLASS,
  PROVISIONED_BY,
  SIMULATED,
  VOLUMES,
  bindTogether,
  defaultClass,
  mayGrow,
  setClaimBound,
  setClaimStatus,
  setVolumePhase,
  storageClassOf,
  waitsForConsumer,
} from './volume-claims.js';
export { claimsOf } from './volume-filters.js';
