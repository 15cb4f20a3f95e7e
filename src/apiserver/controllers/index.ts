/**
 * controllers: CONTRACT.
 */
export { clusterControllers } from './cluster-controllers.js';
export { startCrdController } from './crd-controller.js';
export { garbageCollector } from './garbage-collector.js';
export { RESOURCE_QUOTA } from './resource-quota.js';
export { WORKLOAD_CONTROLLERS } from './workload-controllers.js';
