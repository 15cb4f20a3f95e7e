import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { count, openLog, withLogFlags, type LogFlags } from '../command/index.js';
import { chooseShard } from './choose-shard.js';
import { type CliHost, type ControllerOptions, openCluster } from '../host/index.js';
import type { Logger } from '../../model/logging/index.js';

/** What both `controller` and `up` ask about delivery. */
export interface DeliveryFlags {
  readonly data?: string;
  readonly namespace?: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly metricsPort: number;
  readonly takeOver?: boolean;
  readonly readOnly?: boolean;
  readonly allowFileRepositories?: boolean;
  readonly remoteHost: readonly string[];
  readonly tool: readonly string[];
}

interface ControllerFlags extends DeliveryFlags, LogFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly shard?: number;
  readonly shards?: number;
}

/** `argosy controller`: delivers to a cluster that is there already. */
export function addController(program: Command, host: CliHost): void {
  withLogFlags(withDeliveryFlags(program.command('controller'), host), host)
    .option(
      '--data <directory>',
      'data directory for repository mirrors (default ~/.argosy)',
      host.environment['ARGOSY_DATA'],
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster to deliver to')
    .option('--context <name>', 'kubeconfig context')
    .option('--read-only', 'compare and report, change nothing')
    .option('--shards <number>', 'number of controller shards (default 1)', count)
    .option(
      '--shard <number>',
      'shard number of this controller, from 0 (default: the ordinal at the end of the host name)',
      count,
    )
    .description('deliver Applications from git to clusters')
    .addHelpText('after', '\nExample:\n  argosy controller --kubeconfig ~/.kube/config --read-only')
    .action((flags: ControllerFlags) => run(flags, host));
}

export function withDeliveryFlags(command: Command, { environment }: CliHost): Command {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  return command
    .option('--namespace <name>', 'namespace of the control plane (default argocd)', environment['ARGOSY_NAMESPACE'])
    .addOption(
      new Option('--profile <name>', 'defaults of plain Argo CD or of OpenShift GitOps')
        .choices(['kubernetes', 'openshift'])
        .default(environment['ARGOSY_PROFILE'] ?? 'kubernetes'),
    )
    .option(
      '--metrics-port <port>',
      'port of /metrics, 0 for any free port',
      readPort,
      readPort(environment['ARGOSY_METRICS_PORT'] ?? '8082'),
    )
    .option('--take-over', 'deliver even if an Argo CD controller is running')
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

export function deliveryOptions(flags: DeliveryFlags, data: string, log: Logger): Omit<ControllerOptions, 'cluster'> {
  return {
    data,
    log,
    namespace: flags.namespace ?? (flags.profile === 'openshift' ? 'openshift-gitops' : 'argocd'),
    profile: flags.profile,
    metricsPort: flags.metricsPort,
    takesOver: flags.takeOver === true,
    isReadOnly: flags.readOnly === true,
    allowsFileRepositories: flags.allowFileRepositories === true,
    remoteHosts: flags.remoteHost,
    tools: flags.tool,
  };
}

async function run(flags: ControllerFlags, host: CliHost): Promise<void> {
  const log = openLog(flags, host);
  const shard = chooseShard(flags, host.environment, hostname());
  const cluster = await openCluster(flags, host, flags.readOnly === true, log);
  try {
    const controller = await host.startController({
      ...deliveryOptions(flags, resolve(flags.data ?? join(homedir(), '.argosy')), log),
      cluster,
      ...(shard === undefined ? {} : { shard }),
    });
    // Before it is said: whoever reads it may ask to stop at once.
    const stopped = host.untilStopped();
    host.stdout.write(
      'controller is running on ' +
        `${cluster.server}${shard === undefined ? '' : ` as shard ${shard.index} of ${shard.count}`}, metrics ` +
        `on ${controller.metricsUrl}/metrics\n`,
    );
    await stopped;
    await controller.close();
  } finally {
    await cluster.close();
  }
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port (0 to 65535)`);
  return port;
}
