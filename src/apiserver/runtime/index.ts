/**
 * runtime: nodes and pods: the kubelet that runs pods by a container runtime, probes, logs, exec, eviction and the
 * proxy. Containers are simulated by default (`argosy.dev/simulate` sets their behaviour); only images that whoever
 * starts the server allows run as confined processes. Nothing else of a manifest is ever executed.
 */
export { ContainerLogs } from './container-logs.js';
export type { ContainerdVersion } from './containerd.js';
export { execInPod } from './exec-handler.js';
export { kubelet } from './kubelet.js';
export { addDisruption, disruptPod } from './pod-eviction.js';
export { podHandlers } from './pod-handlers.js';
export { readAllowedImage, readPlace } from './process/allowed-image.js';
export { processRuntime } from './process/process-runtime.js';
export type { ProcessSetup } from './process/process-settings.js';
export { PodNetworks } from './process/pod-networks.js';
export { processSetup, requireWalls, type ProcessOptions } from './process/process-setup.js';
export { proxyHandlers } from './process/proxy-handlers.js';
export { RunningContainers } from './running-containers.js';
