import { Option, type Command } from 'commander';
import type { Logger } from '../../model/logging/index.js';
import { collect, oneOf } from '../command/index.js';
import type { CliHost, ServiceOptions } from '../host/index.js';

const PROFILES = ['kubernetes', 'openshift'] as const;

/** What `controller`, `serve` and `up` ask about the control plane and its sources. */
export interface ServiceFlags {
  readonly namespace?: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly allowFileRepositories?: boolean;
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

export function withSourceFlags(command: Command): Command {
  return command
    .option('--allow-file-repositories', 'allow local folders as repositories')
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

export function serviceOptions(flags: ServiceFlags, data: string, log: Logger): Omit<ServiceOptions, 'cluster'> {
  return {
    data,
    log,
    namespace: flags.namespace ?? (flags.profile === 'openshift' ? 'openshift-gitops' : 'argocd'),
    profile: flags.profile,
    allowsFileRepositories: flags.allowFileRepositories === true,
    remoteHosts: flags.remoteHost,
    tools: flags.tool,
  };
}
