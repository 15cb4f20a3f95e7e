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
      'where mirrors of repositories are kept (default ~/.argosy)',
      host.environment['ARGOSY_DATA'],
    )
    .option('--kubeconfig <file>', 'the cluster to work in')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--read-only', 'look at everything and change nothing')
    .option('--shards <number>', 'how many controllers divide the clusters among them (default 1)', count)
    .option(
      '--shard <number>',
      'which of them this is, from 0 (default: the number at the end of the host name)',
      count,
    )
    .description('deliver Applications from git to clusters')
    .addHelpText('after', '\nExample:\n  argosy controller --kubeconfig ~/.kube/config --read-only')
    .action((flags: ControllerFlags) => run(flags, host));
}

export function withDeliveryFlags(command: Command, { environment }: CliHost): Command {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  return command
    .option(
      '--namespace <name>',
      'where Applications and settings are (default argocd)',
      environment['ARGOSY_NAMESPACE'],
    )
    .addOption(
      new Option('--profile <name>', 'defaults as in plain Kubernetes or as OpenShift GitOps has them')
        .choices(['kubernetes', 'openshift'])
        .default(environment['ARGOSY_PROFILE'] ?? 'kubernetes'),
    )
    .option(
      '--metrics-port <port>',
      'port of /metrics, 0 for any free one',
      readPort,
      readPort(environment['ARGOSY_METRICS_PORT'] ?? '8082'),
    )
    .option('--take-over', 'deliver although an Argo CD controller seems to run')
    .option('--allow-file-repositories', 'Applications may name folders of this machine as repositories')
    .option(
      '--remote-host <host>',
      'a host that kustomizations and values files may come from; may be repeated',
      collect,
      [],
    )
    .option(
      '--tool <name=path>',
      'a program that sources may use, such as jsonnet=/usr/bin/jsonnet; may be repeated',
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
