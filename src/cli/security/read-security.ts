import type { Cluster } from '../../cluster/index.js';
import { objectAt, textAt } from '../../model/json/index.js';
import { CONFIG_MAPS } from '../../model/resources/index.js';
import { type CliHost, type ClusterFlags, isInClusterChosen } from '../host/index.js';
import { chooseSecurity, type Security, type SecurityFlags } from './choose-security.js';

/** The security of this start, by its flags and by the settings of the control plane that it serves. */
export async function readSecurity(
  flags: SecurityFlags & ClusterFlags,
  host: CliHost,
  { cluster, namespace }: { readonly cluster: Cluster; readonly namespace: string },
): Promise<Security> {
  const data = async (name: string): Promise<ReadonlyMap<string, string>> => {
    const found = objectAt(await cluster.get(CONFIG_MAPS, { namespace, name }), 'data') ?? {};
    return new Map(Object.keys(found).map((key) => [key, textAt(found, key)]));
  };
  const [params, settings] = await Promise.all([data('argocd-cmd-params-cm'), data('argocd-cm')]);
  return chooseSecurity({
    flags,
    environment: host.environment,
    params,
    settings,
    isInCluster: await isInClusterChosen(flags, host),
  });
}
