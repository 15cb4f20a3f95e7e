/**
 * host: CONTRACT.
 */
export type {
  ApiOptions,
  CliHost,
  CliTools,
  ControllerOptions,
  LogSettings,
  OpenService,
  OutputStream,
  RunningApi,
  RunningController,
  RunningDemo,
  RunningServer,
  ServerOptions,
  ServerProcess,
  ServiceOptions,
} from './cli-host.js';
export { findContext, openCluster, type ClusterFlags } from './open-cluster.js';
export { promptPerson, readSecrets } from './prompt.js';
export { runProgram } from './run-program.js';
