/**
 * rest: the verbs of the API (get, list, watch, create, update, patch, apply, delete, bind, scale) on one resource
 * type. Takes a call and a RestContext with store, types, admission and clock; gives objects with their revision, or an
 * ApiError. Every write is conditional on the revision that was read, and is durable before it is acknowledged.
 */
export type { AdmissionPlugin, AdmissionRequest } from './admission.js';
export { bind } from './bind.js';
export {
  apiVersionOf,
  fromStored,
  keyFor,
  prefixOf,
  resourceOf,
  timestamp,
  toStored,
  type Call,
  type RestContext,
  type VerbResult,
} from './context.js';
export { create } from './create.js';
export { decodeObject, internalName, type StrictError } from './decode.js';
export { readDeleteOptions, remove, type DeleteOptions } from './delete.js';
export type {
  Clock,
  EventPlace,
  LocalClient,
  ResourceName,
  ServedKind,
  ServedResource,
  WatchedObject,
} from './local-client.js';
export { ownershipAfterWrite } from './managed-fields.js';
export { patch, type PatchKind } from './patch.js';
export { checkWatchOptions, get, list, readExactRevision, type ListOptions, type ListResult } from './read.js';
export { writeScale } from './scale-write.js';
export { scaleOf, scalePaths, scaledPodsOf } from './scale.js';
export { readSelection } from './selection.js';
export { applyByServer } from './server-side-apply.js';
export { replace, update } from './update.js';
export { type WatchEvent, watch } from './watch.js';
export { readWriteOptions, type OptionsKind, type WriteOptions } from './write-options.js';
