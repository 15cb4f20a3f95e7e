/**
 * cli: the `argosy` command. Takes words and a CliHost of streams, environment and starters; gives an exit code.
 * Prints results on stdout, everything else on stderr. Never starts a server itself: main.ts hands the starters in.
 */
export { runCli } from './run-cli.js';
export type {
  ApiOptions,
  CliTools,
  CliHost,
  ControllerOptions,
  ServiceOptions,
  OpenService,
  RunningApi,
  RunningController,
  RunningServer,
  ServerOptions,
  ServerProcess,
} from './host/index.js';
export { profileOf } from './host/index.js';
export { commandRepositories } from './command/index.js';
