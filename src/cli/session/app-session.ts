import { ClusterError, systemClock, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import { type CliHost, controlNamespaceOf, openChangedCluster, openCluster, type ClusterFlags } from '../host/index.js';
import { CONFIG_MAPS } from '../../model/resources/index.js';

export interface AppFlags extends ClusterFlags {
  /** Where the control plane lives. */
  readonly controlNamespace?: string;
  /** Where the application lives; the control plane's namespace unless told. */
  readonly appNamespace?: string;
}

/** A command at work: the cluster that it talks to, and where applications are looked for. */
export interface AppSession {
  readonly cluster: Cluster;
  readonly host: CliHost;
  readonly access: 'read' | 'write';
  readonly controlNamespace: string;
  readonly appNamespace: string | undefined;
  /** Calls back after milliseconds; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Opens the cluster, does the work, closes. A command that may write says first which cluster that is. */
export async function withSession<T>(
  flags: AppFlags,
  host: CliHost,
  access: 'read' | 'write',
  act: (session: AppSession) => Promise<T>,
): Promise<T> {
  const cluster = access === 'read' ? await openCluster(flags, host, true) : await openChangedCluster(flags, host);
  try {
    if (access === 'write') host.stderr.write(`context ${cluster.context} (${cluster.server})\n`);
    return await act({
      cluster,
      host: host,
      access,
      controlNamespace: controlNamespaceOf(cluster.server, host, {
        given: flags.controlNamespace,
        kubeconfig: flags.kubeconfig,
      }),
      appNamespace: flags.appNamespace,
      after: (milliseconds, callback) => systemClock.after(milliseconds, callback),
    });
  } catch (error) {
    throw isKindMissing(error)
      ? new Fault('KIND_UNKNOWN', 'this cluster has no Applications', { where: cluster.server, cause: error })
      : error;
  } finally {
    await cluster.close();
  }
}

/** A bare 404 for the collection of Applications: the kind is not served there. */
function isKindMissing(error: unknown): boolean {
  return (
    error instanceof ClusterError &&
    error.isNotFound &&
    error.reason !== 'NotFound' &&
    error.where.includes('applications')
  );
}

/** The `data` of a settings object of the control plane; empty where there is none. */
export async function readSettings(
  { cluster, controlNamespace }: AppSession,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const object = await cluster.get(CONFIG_MAPS, { namespace: controlNamespace, name });
  const data = object === undefined ? undefined : own(object, 'data');
  if (!isObject(data)) return {};
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
