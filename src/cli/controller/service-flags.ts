import { Option, type Command } from 'commander';
import type { Logger } from '../../model/logging/index.js';
import { checkFolders, collect, collectFolders, FILE_REPOS_VARIABLE, oneOf } from '../command/index.js';
import type { CliHost, ServiceOptions } from '../host/index.js';

const PROFILES = ['kubernetes', 'openshift'] as const;

/** What `controller`, `serve` and `up` ask about the control plane and its sources. */
export interface ServiceFlags {
  readonly namespace?: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly allowFileRepos?: readonly string[];
  readonly remoteHost: readonly string[];
  readonly tool: readonly string[];
}

export function withControlPlaneFlags(command: Command, { environment }: CliHost): Command {
  return command
    .option('--namespace <name>', 'namespace of the control plane (default argocd)', environment['ARGOSY_NAMESPACE'])
    .addOption(
      new Option('--profile <name>', 'defaults of plain Argo CD or of OpenShift GitOps')
        .choices(PROFILES)
        .default(oneOf(PROFILES, environment, 'ARGOSY_PROFILE') ?? 'kubernetes'),
    );
}

export function withSourceFlags(command: Command, { environment }: CliHost): Command {
  const allowed = collectFolders(environment[FILE_REPOS_VARIABLE] ?? '');
  return command
    .addOption(
      new Option(
        '--allow-file-repos <folder>',
        'a folder of this machine whose repositories may be read as file://; may be repeated',
      )
        .default(allowed, `those of ${FILE_REPOS_VARIABLE}`)
        .argParser((folder: string, before: readonly string[]) =>
          collectFolders(folder, before === allowed ? [] : before),
        ),
    )
    .option(
      '--remote-host <host>',
      'a host that remote kustomizations and values files may be loaded from; may be repeated',
      collect,
      [],
    )
    .option(
      '--tool <name=path>',
      'a program for rendering, such as jsonnet=/usr/bin/jsonnet; may be repeated',
      collect,
      [],
    );
}

export function serviceOptions(
  flags: ServiceFlags,
  data: string,
  log: Logger,
): Omit<ServiceOptions, 'cluster' | 'audit'> {
  return {
    data,
    log,
    namespace: flags.namespace ?? (flags.profile === 'openshift' ? 'openshift-gitops' : 'argocd'),
    profile: flags.profile,
    fileRepositories: checkFolders(flags.allowFileRepos ?? [], data),
    remoteHosts: flags.remoteHost,
    tools: flags.tool,
  };
}
