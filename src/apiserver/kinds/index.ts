/**
 * kinds: the built-in kinds: for each its defaulting, validation, update rules, printer columns and conversions, as
 * kube-apiserver has them. Gives the resource types that the server registers, and the few rules that controllers share
 * (QoS class, storage class, quantities, service addresses). Functions of objects; never reads the store.
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
