/**
 * runtime: CONTRACT.
 */
export { ContainerLogs } from './container-logs.js';
export { kubelet } from './kubelet.js';
export { addDisruption } from './pod-eviction.js';
export { podHandlers } from './pod-handlers.js';
export { readAllowedImage } from './process/allowed-image.js';
export { processRuntime, type ProcessSetup } from './process/process-runtime.js';
export { loopbackOf, processSetup, type ProcessOptions } from './process/process-setup.js';
export { proxyHandlers, type PodAddressResolver } from './process/proxy-handlers.js';
export { RunningContainers } from './running-containers.js';
