/**
 * cli: the `argosy` command. Takes words and a World of streams, environment and starters; gives an exit code.
 * Prints results on stdout, everything else on stderr. Never starts a server itself: main.ts hands the starters in.
 */
export { runCli } from './run-cli.js';
export {
  type ApiOptions,
  type CliTools,
  type CliHost,
  type ControllerOptions,
  type ServiceOptions,
  type OpenService,
  type RunningApi,
  type RunningController,
  type RunningServer,
  type ServerOptions,
  type ServerProcess,
} from './host/cli-host.js';
