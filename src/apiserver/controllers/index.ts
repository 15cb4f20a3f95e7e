/**
 * controllers: the built-in controllers: workloads, endpoints, volumes, quotas, namespaces, garbage collection, node
 * lifecycle, autoscaling and CRDs. Each takes a ControllerHost and gives a handle to stop it. They read and write
 * through the client alone and are restarted without losing anything.
 */
export { clusterControllers } from './cluster-controllers.js';
export { startCrdController } from './crd-controller.js';
export { garbageCollector } from './garbage-collector.js';
export { RESOURCE_QUOTA } from './resource-quota.js';
export { WORKLOAD_CONTROLLERS } from './workload-controllers.js';
