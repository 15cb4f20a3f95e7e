/**
 * apiserver: a Kubernetes API server in this process, with its store, admission, access control and built-in
 * controllers. Takes a data directory and ports, gives a running server and its kubeconfig.
 * Other rooms reach it only over HTTP. Nothing that a manifest says is ever executed: pods are simulated, but for
 * containers of images that whoever starts the server allows to run as confined processes.
 */
export { startApiServer } from './start-api-server.js';
export type { ContainerdVersion } from './runtime/index.js';
export { type ApiServer, type ApiServerOptions } from './server.js';
export { readAllowedImage, readPlace, type ProcessOptions } from './runtime/index.js';
export type { Stage, Probe, ProbeContext, Probes } from './stages/index.js';
