/**
 * fields: which fields of an object are ours, by managedFields or the last-applied annotation, and which pairs of lists
 * and values belong together. Takes objects and managers; gives owners and claims. Never decides what differs.
 */
export type { Claim } from './claim.js';
export {
  below,
  hasParts,
  inherited,
  isAtomic,
  isLeaf,
  liveClaims,
  ownerOf,
  predictedClaims,
  type ClaimOptions,
} from './claims.js';
export type { Difference } from './difference.js';
export { LAST_APPLIED } from './last-applied.js';
export { inOrder, itemKey, listKind, pairItems, type Pairing, valueKey } from './lists.js';
export { pointerPath, removePaths, sliceBounds, type Origins, type Path, type PathStep, type Slice } from './path.js';
