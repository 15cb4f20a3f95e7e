/**
 * host: what commands may use of the outside: streams, environment, clock, prompts, and the starters that main.ts
 * hands in; and the cluster that flags and environment name. Commands take nothing from the outside any other way.
 */
export type {
  ApiOptions,
  ApiSecurity,
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
export { findContext, isInClusterChosen, openChangedCluster, openCluster, type ClusterFlags } from './open-cluster.js';
export { promptPerson, readSecrets } from './prompt.js';
export { runProgram } from './run-program.js';
export { controlNamespaceOf, defaultInstance, profileOf } from './running-instance.js';
