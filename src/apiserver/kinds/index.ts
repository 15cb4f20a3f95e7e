/**
 * kinds: CONTRACT.
 */
export { builtinResourceTypes } from './builtin-resource-types.js';
export {
  allocateServiceAddresses,
  needsServiceAddresses,
  type ServiceNetwork,
} from './networking/service-addresses.js';
export { qosClass } from './pod/pod.js';
export { classOf } from './storage/persistent-volume-claim.js';
export { compareQuantities } from './validation/quantities.js';
export { quantities, quantityText } from './validation/resource-lists.js';
