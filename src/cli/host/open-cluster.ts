import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Cluster, ClusterConfig, ConnectOptions } from '../../cluster/index.js';
import { plainLogger, reportTo, type Logger } from '../../model/logging/index.js';
import type { CliHost } from './cli-host.js';
import { defaultInstance } from './running-instance.js';

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * The cluster that the flags, the environment, a running `argosy up` or the user's own kubeconfig name, in this order.
 */
export async function openCluster(
  flags: ClusterFlags,
  host: CliHost,
  readOnly: boolean,
  log: Logger = plainLogger((line) => void host.stderr.write(`${line}\n`)),
  onChange?: ConnectOptions['onChange'],
): Promise<Cluster> {
  const { environment } = host;
  const { connect, inClusterConfig, loadKubeconfig, systemClock } = await import('../../cluster/index.js');
  const config = (await isInClusterChosen(flags, host))
    ? await inClusterConfig(environment)
    : await loadKubeconfig({
        path: flags.kubeconfig,
        context: flags.context,
        environment,
        defaultPath: defaultKubeconfig(environment),
      });
  return connect(
    config,
    { clock: systemClock, random: Math.random, report: reportTo(log.child({ room: 'cluster' })) },
    { version: host.version, environment, readOnly, ...(onChange === undefined ? {} : { onChange }) },
  );
}

/** The same for a command that a person runs to change something: Kubernetes Events say what was changed by whom. */
export async function openChangedCluster(flags: ClusterFlags, host: CliHost): Promise<Cluster> {
  const log = plainLogger((line) => void host.stderr.write(`${line}\n`));
  const { ChangeEvents } = await import('./change-events.js');
  const events = new ChangeEvents({ cluster: () => cluster, version: host.version, now: () => host.now(), log });
  const cluster: Cluster = await openCluster(flags, host, false, log, (change) => events.record(change));
  return cluster;
}

/** Whether the credentials are those of the pod that this process runs in: nothing names another cluster. */
export async function isInClusterChosen(flags: ClusterFlags, { environment }: CliHost): Promise<boolean> {
  const { isInCluster } = await import('../../cluster/index.js');
  return (
    flags.kubeconfig === undefined &&
    environment['KUBECONFIG'] === undefined &&
    !existsSync(defaultKubeconfig(environment)) &&
    isInCluster(environment)
  );
}

/**
 * Another cluster that the user knows, by the name of its context: of the file named, of KUBECONFIG, or of their own
 * kubeconfig, whatever runs here.
 */
export async function findContext(
  context: string,
  kubeconfig: string | undefined,
  { environment }: CliHost,
): Promise<ClusterConfig> {
  const { loadKubeconfig } = await import('../../cluster/index.js');
  const own = join(homedir(), '.kube', 'config');
  const defaultPath = existsSync(own) ? own : (defaultInstance(environment)?.kubeconfig ?? own);
  return loadKubeconfig({ path: kubeconfig, context, environment, defaultPath });
}

function defaultKubeconfig(environment: CliHost['environment']): string {
  return defaultInstance(environment)?.kubeconfig ?? join(homedir(), '.kube', 'config');
}
