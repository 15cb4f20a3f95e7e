import { Option, type Command } from 'commander';
import {
  count,
  toggle,
  collect,
  collectList,
  openGroup,
  outputOption,
  type SessionGroup,
  type ExitStatus,
} from '../command/index.js';
import type { AppFlags } from '../session/index.js';
import type { CliHost } from '../host/index.js';
import type { AddClusterFlags } from './add-cluster.js';
import type { SetFlags } from './clusters.js';

const load = (): Promise<typeof import('./clusters.js')> => import('./clusters.js');

/** `argosy cluster ...`: clusters that applications go to, as `argocd cluster` shows them. */
export function addCluster(program: Command, host: CliHost, { exit }: ExitStatus): void {
  const group = openGroup(program, host, 'cluster', 'show and change the clusters that applications go to');
  group
    .verb('list', 'list clusters and their connection status', ['list', 'list -o server'])
    .addOption(outputOption(['wide', 'server', 'json', 'yaml']))
    .action((flags: AppFlags & { readonly output: string }) =>
      group.run(flags, 'read', async (session) => (await load()).listClusters(session, flags.output)),
    );
  group
    .verb('get <cluster>', 'show a cluster, by address or name', ['get in-cluster'])
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action((name: string, flags: AppFlags & { readonly output: string }) =>
      group.run(flags, 'read', async (session) => (await load()).getCluster(session, name, flags.output)),
    );
  group
    .verb('set <cluster>', 'change a cluster', ["set staging --name stage --namespace '*'"])
    .option('--name <name>', 'new name')
    .option('--namespace <namespaces>', 'namespaces to watch, * for all', collectList)
    .option('--label <name=value>', 'a label; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation; may be repeated', collect)
    .action((name: string, flags: AppFlags & SetFlags) =>
      group.run(flags, 'write', async (session) => (await load()).setCluster(session, name, flags)),
    );
  group
    .verb('rm <clusters...>', 'remove clusters', ['rm staging'])
    .option('-y, --yes', 'accepted for compatibility; there is no prompt')
    .action((names: string[], flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await load()).removeClusters(session, names)),
    );
  addAdd(group, exit);
  group
    .verb('rotate-auth <cluster>', 'rotate the token of the service account that a cluster is accessed with', [
      'rotate-auth staging',
    ])
    .action((name: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await import('./rotate-auth.js')).rotateAuth(session, name)),
    );
}

function addAdd(group: SessionGroup, exit: (code: number) => void): void {
  const made = group
    .verb('add <context>', 'add the cluster of a kubeconfig context as a destination', [
      'add staging',
      'add staging --name stage --label tier=test --yes',
      'add shared --namespace team-a --namespace team-b --project team',
    ])
    .option('--name <name>', 'name of the cluster; the context name by default')
    .option('--namespace <namespaces>', 'restrict the cluster to these namespaces; may be repeated', collectList)
    .option('--label <name=value>', 'a label of the cluster; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation of the cluster; may be repeated', collect)
    .option('--project <name>', 'project that owns the cluster')
    .option('--shard <number>', 'shard of the cluster', count)
    .option('--service-account <name>', 'use an existing service account instead of creating argocd-manager')
    .option('--system-namespace <namespace>', 'namespace of the service account', 'kube-system')
    .addOption(new Option('--cluster-endpoint <endpoint>', 'server address to use').choices(['kubeconfig', 'internal']))
    .option('--proxy-url <url>', 'the proxy to use')
    .option(
      '--exec-command <program>',
      'exec plugin for credentials instead of a service account; must be installed where Argosy runs',
    )
    .option('--exec-command-args <words>', 'argument of the program; may be repeated', collectList)
    .option('--exec-command-env <name=value>', 'environment variable for the program; may be repeated', collect)
    .addOption(
      new Option('--exec-command-api-version <version>', 'API version of the exec plugin').choices([
        'client.authentication.k8s.io/v1',
        'client.authentication.k8s.io/v1beta1',
      ]),
    )
    .option('--exec-command-install-hint <text>', 'install hint if the exec plugin is missing');
  for (const [flags, about] of [
    ['--in-cluster', 'add the cluster of the control plane by its internal address'],
    ['--cluster-resources', 'with --namespace: cluster-scoped resources too'],
    ['--upsert', 'update the cluster if it exists'],
    ['-y, --yes', 'do not prompt for confirmation'],
  ] as const)
    toggle(made, flags, about);
  made.action((context: string, flags: AddClusterFlags) =>
    group.run(flags, 'write', async (session) => {
      if (!(await (await import('./add-cluster.js')).addCluster(session, context, flags))) exit(1);
    }),
  );
}
