import { CRDS, LEASES, SECRETS, type ResourceRef } from '../../model/resources/index.js';
import { describeKey, keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { type CliHost, openChangedCluster } from '../host/index.js';
import { namespaceOf, type UninstallFlags } from './flags.js';
import { deleteObject, findInstalled, type InstalledObject } from './installed.js';

const LEASE = /^argosy-application-controller(-\d+)?$/;
/** What the server made for itself; argocd-secret stays, since Argo CD reads it too. */
const OWN_SECRETS = ['argosy-sessions'];
const GROUPS = ['argoproj.io', 'mlops.mlops.dev'];

/** Deletes what an installation consists of, and nothing that people wrote or that was delivered for them. */
export async function uninstall(flags: UninstallFlags, host: CliHost): Promise<void> {
  const namespace = namespaceOf(flags, host);
  const tell = (line: string): void => void host.stdout.write(`${line}\n`);
  const cluster = await openChangedCluster(flags, host);
  try {
    host.stderr.write(`context ${cluster.context} (${cluster.server})\n`);
    const found = [...(await findInstalled(cluster, namespace)), ...(await traces(cluster, namespace))];
    if (found.length === 0)
      throw new Fault('NAME_UNKNOWN', `there is no installation of Argosy in namespace ${namespace}`, {
        where: cluster.server,
        hint: 'name its namespace with --namespace',
      });
    const isDryRun = flags.dryRun === true;
    if (!isDryRun && flags.yes !== true && !(await host.confirm(`Delete ${found.length} objects of ${namespace}?`))) {
      tell('nothing was deleted: not confirmed; --yes deletes without asking');
      return;
    }
    for (const { kind, object } of found) {
      await deleteObject(cluster, kind, object, isDryRun);
      tell(`${describeKey(keyOf(object))} ${isDryRun ? 'would be deleted' : 'deleted'}`);
    }
    for (const line of await whatStays(cluster, namespace)) tell(line);
  } finally {
    await cluster.close();
  }
}

/** What processes left behind: their leases and sessions. */
async function traces(cluster: Cluster, namespace: string): Promise<InstalledObject[]> {
  const { items: leases } = await cluster.list(LEASES, { namespace });
  const secrets = await Promise.all(OWN_SECRETS.map((name) => cluster.get(SECRETS, { namespace, name })));
  const of = (kind: ResourceRef, objects: readonly (KubeObject | undefined)[]): InstalledObject[] =>
    objects.flatMap((object) => (object === undefined ? [] : [{ kind, object }]));
  return [
    ...of(
      LEASES,
      leases.filter(({ metadata }) => LEASE.test(metadata.name ?? '')),
    ),
    ...of(SECRETS, secrets),
  ];
}

async function whatStays(cluster: Cluster, namespace: string): Promise<string[]> {
  const { items } = await cluster.list(CRDS);
  const ours = items
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => GROUPS.some((group) => name.endsWith(`.${group}`)))
    .sort();
  return [
    `These stay: namespace ${namespace} with its settings, Secrets and Applications; everything that was ` +
      `delivered; and the definitions ${ours.join(', ')}.`,
    'Deleting a definition deletes every object of its kind. An Application with a finalizer cannot be deleted ' +
      'while no controller runs.',
  ];
}
