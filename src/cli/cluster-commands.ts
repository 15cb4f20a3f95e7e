import type { Command } from 'commander';
import type { AppFlags } from './app/session.js';
import type { CliWorld } from './cli-world.js';
import type { SetFlags } from './cluster/clusters.js';
import { collect, collectMany, openGroup, outputOption } from './session-group.js';

const load = (): Promise<typeof import('./cluster/clusters.js')> => import('./cluster/clusters.js');

/** `argosy cluster ...`: clusters that applications go to, as `argocd cluster` shows them. */
export function addCluster(program: Command, world: CliWorld): void {
  const group = openGroup(program, world, 'cluster', 'show and change the clusters that applications go to');
  group.verb('list', 'list clusters, and whether each answers', ['list', 'list -o server']).addOption(outputOption(['wide', 'server', 'json', 'yaml']))
    .action((flags: AppFlags & { readonly output: string }) => group.run(flags, 'read', async (session) => (await load()).listClusters(session, flags.output)));
  group.verb('get <cluster>', 'show a cluster, by address or name', ['get in-cluster']).addOption(outputOption(['wide', 'json', 'yaml']))
    .action((name: string, flags: AppFlags & { readonly output: string }) => group.run(flags, 'read', async (session) => (await load()).getCluster(session, name, flags.output)));
  group.verb('set <cluster>', 'change a cluster', ["set staging --name stage --namespace '*'"])
    .option('--name <name>', 'another name').option('--namespace <namespaces>', 'the namespaces that are looked at, * for all', collectMany).option('--label <name=value>', 'a label; may be repeated', collect).option('--annotation <name=value>', 'an annotation; may be repeated', collect)
    .action((name: string, flags: AppFlags & SetFlags) => group.run(flags, 'write', async (session) => (await load()).setCluster(session, name, flags)));
  group.verb('rm <clusters...>', 'remove clusters', ['rm staging']).option('-y, --yes', 'nothing is asked anyway')
    .action((names: string[], flags: AppFlags) => group.run(flags, 'write', async (session) => (await load()).removeClusters(session, names)));
}
