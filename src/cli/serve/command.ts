import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Fault } from '../../model/faults/index.js';
import { type ApiOptions, type CliHost, type RunningApi, openCluster, type ClusterFlags } from '../host/index.js';
import { collect, openLog, variable, withLogFlags, type LogFlags } from '../command/index.js';
import {
  readPort,
  serviceOptions,
  withAudit,
  withAuditFlags,
  withControlPlaneFlags,
  withSourceFlags,
  type AuditFlags,
  type ServiceFlags,
} from '../controller/index.js';
import {
  readSecurity,
  type Security,
  type SecurityFlags,
  withSecurityProfile,
  withTlsFlags,
} from '../security/index.js';
import type { Audit } from '../../audit/index.js';
import type { Logger } from '../../model/logging/index.js';

/** What both `serve` and `up` ask about the API. */
export interface ApiFlags extends SecurityFlags {
  readonly port: number;
  readonly allowHost: readonly string[];
  readonly ui?: string;
  readonly uiExtensions?: string;
}

interface ServeFlags extends ApiFlags, ClusterFlags, LogFlags, ServiceFlags, AuditFlags {
  readonly data?: string;
}

/** In the profile shared there is no local admin unless somebody asks for one. */
export const NO_SIGN_IN = [
  'Nobody can sign in yet: set oidc.config in argocd-cm, or',
  'admin.enabled: "true" and restart for a password of admin.',
];

/** `argosy serve`: the API and the page for a cluster where another process delivers. */
export function addServe(program: Command, host: CliHost): void {
  const command = withLogFlags(
    withAuditFlags(withApiFlags(program.command('serve'), host), host, 'DATA/serve/audit/audit.jsonl'),
    host,
  )
    .option(
      '--data <directory>',
      'data directory for repository mirrors (default ~/.argosy)',
      host.environment['ARGOSY_DATA'],
    )
    .option('--kubeconfig <file>', 'kubeconfig of the control plane')
    .option('--context <name>', 'kubeconfig context');
  withSecurityProfile(withSourceFlags(withControlPlaneFlags(command, host), host))
    .description('serve the API and web UI for a cluster')
    .addHelpText('after', '\nExample:\n  argosy serve --kubeconfig ~/.kube/config --port 8080')
    .action((flags: ServeFlags) => run(flags, host));
}

export function withApiFlags(command: Command, { environment }: CliHost): Command {
  return withTlsFlags(command)
    .option(
      '--port <port>',
      'port of the API and web UI, 0 for any free port',
      readPort,
      variable(environment, 'ARGOSY_PORT', readPort) ?? 8080,
    )
    .option(
      '--host <address>',
      'the address that the API listens on (default 127.0.0.1; in the profile shared 0.0.0.0)',
    )
    .option(
      '--allow-host <name>',
      'an additional host name of this server, besides localhost and url of argocd-cm; may be repeated',
      collect,
      [],
    )
    .option(
      '--ui <folder>',
      "a build of Argo CD's page, served at /ui/ beside the page of Argosy",
      environment['ARGOSY_UI'],
    )
    .option(
      '--ui-extensions <folder>',
      'extensions of that page: files extension*.js',
      environment['ARGOSY_UI_EXTENSIONS'],
    );
}

export function apiOptions(
  { port, allowHost, ui, uiExtensions }: ApiFlags,
  { host, api }: Security,
  log: Logger,
): Omit<ApiOptions, 'services'> {
  if (ui === undefined && uiExtensions !== undefined)
    throw new Fault('USAGE', 'extensions belong to a page of Argo CD: name that with --ui', {
      where: '--ui-extensions',
    });
  const page =
    ui === undefined ? undefined : { folder: ui, ...(uiExtensions === undefined ? {} : { extensions: uiExtensions }) };
  return { port, host, hosts: allowHost, security: api, log, ...(page === undefined ? {} : { argoCdPage: page }) };
}

/** Lines that say how to sign in; the password is there only when it was made now. */
function signInText({ newPassword, hasSignIn }: RunningApi): string[] {
  if (!hasSignIn) return NO_SIGN_IN.map((line) => `  ${line}`);
  return newPassword === undefined
    ? []
    : ['  user            admin', `  password        ${newPassword}   (shown only once)`];
}

/** Where others reach it: an address of this machine alone would mislead them. */
function placeText(url: string, address: string, names: readonly string[]): string {
  if (address !== '0.0.0.0' && address !== '::') return url;
  const { protocol, port } = new URL(url);
  const known = names.length === 0 ? 'the names of argocd-cm' : names.join(', ');
  return `${protocol}//${address === '::' ? '[::]' : address}:${port} as ${known}`;
}

async function run(flags: ServeFlags, host: CliHost): Promise<void> {
  const log = openLog(flags, host);
  const data = resolve(flags.data ?? join(homedir(), '.argosy'));
  // A controller may use the same data directory, and has its own.
  await withAudit(flags, { host, data: join(data, 'serve'), log }, (audit) =>
    runServices(flags, host, { data, log, audit }),
  );
}

async function runServices(
  flags: ServeFlags,
  host: CliHost,
  { data, log, audit }: { readonly data: string; readonly log: Logger; readonly audit: Audit },
): Promise<void> {
  const cluster = await openCluster(flags, host, false, log);
  try {
    const options = serviceOptions(flags, data, log);
    const security = await readSecurity(flags, host, { cluster, namespace: options.namespace });
    const { services, close } = await host.openService({ ...options, cluster, audit });
    try {
      const api = await host.startApi({ ...apiOptions(flags, security, log), services });
      // Before it is said: whoever reads it may ask to stop at once.
      const stopped = host.untilStopped();
      host.stdout.write(
        `API on ${placeText(api.url, security.host, flags.allowHost)} for ${cluster.server}\n${signInText(api)
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
