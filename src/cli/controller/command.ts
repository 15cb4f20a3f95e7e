import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { count, openLog, variable, withLogFlags, type LogFlags } from '../command/index.js';
import type { Audit } from '../../audit/index.js';
import { withAudit, withAuditFlags, type AuditFlags } from './audit-flags.js';
import { chooseShard } from './choose-shard.js';
import { serviceOptions, withControlPlaneFlags, withSourceFlags, type ServiceFlags } from './service-flags.js';
import { type CliHost, type ControllerOptions, openCluster } from '../host/index.js';
import { readSecurity, type SecurityFlags, withMetricsAddress, withSecurityProfile } from '../security/index.js';
import type { Logger } from '../../model/logging/index.js';

/** What both `controller` and `up` ask about delivery. */
export interface DeliveryFlags extends ServiceFlags, SecurityFlags {
  readonly data?: string;
  readonly metricsPort: number;
  readonly takeOver?: boolean;
  readonly readOnly?: boolean;
}

interface ControllerFlags extends DeliveryFlags, LogFlags, AuditFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly shard?: number;
  readonly shards?: number;
}

/** `argosy controller`: delivers to a cluster that is there already. */
export function addController(program: Command, host: CliHost): void {
  withLogFlags(withAuditFlags(withDeliveryFlags(program.command('controller'), host), host), host)
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

export function withDeliveryFlags(command: Command, host: CliHost): Command {
  const delivery = withControlPlaneFlags(command, host)
    .option(
      '--metrics-port <port>',
      'port of /metrics, 0 for any free port',
      readPort,
      variable(host.environment, 'ARGOSY_METRICS_PORT', readPort) ?? 8082,
    )
    .option('--take-over', 'deliver even if an Argo CD controller is running');
  return withSecurityProfile(withMetricsAddress(withSourceFlags(delivery, host)));
}

export function deliveryOptions(
  flags: DeliveryFlags,
  data: string,
  log: Logger,
): Omit<ControllerOptions, 'cluster' | 'metricsHost' | 'audit'> {
  return {
    ...serviceOptions(flags, data, log),
    metricsPort: flags.metricsPort,
    takesOver: flags.takeOver === true,
    isReadOnly: flags.readOnly === true,
  };
}

async function run(flags: ControllerFlags, host: CliHost): Promise<void> {
  const log = openLog(flags, host);
  const data = resolve(flags.data ?? join(homedir(), '.argosy'));
  await withAudit(flags, { host, data, log }, (audit) => runController(flags, host, { data, log, audit }));
}

async function runController(
  flags: ControllerFlags,
  host: CliHost,
  { data, log, audit }: { readonly data: string; readonly log: Logger; readonly audit: Audit },
): Promise<void> {
  const shard = chooseShard(flags, host.environment, hostname());
  const cluster = await openCluster(flags, host, flags.readOnly === true, log);
  try {
    const options = deliveryOptions(flags, data, log);
    const { metricsHost } = await readSecurity(flags, host, { cluster, namespace: options.namespace });
    const controller = await host.startController({
      ...options,
      cluster,
      metricsHost,
      audit,
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
