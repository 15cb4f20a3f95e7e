import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ApiOptions, type CliHost, type RunningApi, openCluster, type ClusterFlags } from '../host/index.js';
import { collect, openLog, withLogFlags, type LogFlags } from '../command/index.js';
import {
  readPort,
  serviceOptions,
  withControlPlaneFlags,
  withSourceFlags,
  type ServiceFlags,
} from '../controller/index.js';
import type { Logger } from '../../model/logging/index.js';

/** What both `serve` and `up` ask about the API. */
export interface ApiFlags {
  readonly port: number;
  readonly host: string;
  readonly allowHost: readonly string[];
}

interface ServeFlags extends ApiFlags, ClusterFlags, LogFlags, ServiceFlags {
  readonly data?: string;
}

/** `argosy serve`: the API and the page for a cluster where another process delivers. */
export function addServe(program: Command, host: CliHost): void {
  const command = withLogFlags(withApiFlags(program.command('serve'), host), host)
    .option(
      '--data <directory>',
      'data directory for repository mirrors (default ~/.argosy)',
      host.environment['ARGOSY_DATA'],
    )
    .option('--kubeconfig <file>', 'kubeconfig of the control plane')
    .option('--context <name>', 'kubeconfig context');
  withSourceFlags(withControlPlaneFlags(command, host))
    .description('serve the API and web UI for a cluster')
    .addHelpText('after', '\nExample:\n  argosy serve --kubeconfig ~/.kube/config --port 8080')
    .action((flags: ServeFlags) => run(flags, host));
}

export function withApiFlags(command: Command, { environment }: CliHost): Command {
  return command
    .option(
      '--port <port>',
      'port of the API and web UI, 0 for any free port',
      readPort,
      readPort(environment['ARGOSY_PORT'] ?? '8080'),
    )
    .option('--host <address>', 'the address that the API listens on', environment['ARGOSY_HOST'] ?? '127.0.0.1')
    .option(
      '--allow-host <name>',
      'an additional host name of this server, besides localhost and url of argocd-cm; may be repeated',
      collect,
      [],
    );
}

export function apiOptions({ port, host, allowHost }: ApiFlags, log: Logger): Omit<ApiOptions, 'services'> {
  return { port, host, hosts: allowHost, log };
}

/** Lines that say how to sign in; the password is there only when it was made now. */
export function signInText({ newPassword }: RunningApi): string[] {
  return newPassword === undefined
    ? []
    : ['  user            admin', `  password        ${newPassword}   (shown only once)`];
}

async function run(flags: ServeFlags, host: CliHost): Promise<void> {
  const log = openLog(flags, host);
  const cluster = await openCluster(flags, host, false, log);
  try {
    const { services, close } = await host.openService({
      ...serviceOptions(flags, resolve(flags.data ?? join(homedir(), '.argosy')), log),
      cluster,
    });
    try {
      const api = await host.startApi({ ...apiOptions(flags, log), services });
      // Before it is said: whoever reads it may ask to stop at once.
      const stopped = host.untilStopped();
      host.stdout.write(
        `API on ${api.url} for ${cluster.server}\n${signInText(api)
          .map((line) => `${line}\n`)
          .join('')}`,
      );
      await stopped;
      await api.close();
    } finally {
      await close();
    }
  } finally {
    await cluster.close();
  }
}
