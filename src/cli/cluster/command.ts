import { Option, type Command } from 'commander';
import {
  count,
  toggle,
  collect,
  collectMany,
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
    .verb('list', 'list clusters, and whether each answers', ['list', 'list -o server'])
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
    .option('--name <name>', 'another name')
    .option('--namespace <namespaces>', 'the namespaces that are looked at, * for all', collectMany)
    .option('--label <name=value>', 'a label; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation; may be repeated', collect)
    .action((name: string, flags: AppFlags & SetFlags) =>
      group.run(flags, 'write', async (session) => (await load()).setCluster(session, name, flags)),
    );
  group
    .verb('rm <clusters...>', 'remove clusters', ['rm staging'])
    .option('-y, --yes', 'nothing is asked anyway')
    .action((names: string[], flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await load()).removeClusters(session, names)),
    );
  addAdd(group, exit);
  group
    .verb('rotate-auth <cluster>', 'give a new token to the account that the cluster is opened with', [
      'rotate-auth staging',
    ])
    .action((name: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await import('./rotate-auth.js')).rotateAuth(session, name)),
    );
}

function addAdd(group: SessionGroup, exit: (code: number) => void): void {
  const made = group
    .verb('add <context>', 'let applications go to the cluster of a context of your kubeconfig', [
      'add staging',
      'add staging --name stage --label tier=test --yes',
      'add shared --namespace team-a --namespace team-b --project team',
    ])
    .option('--name <name>', 'how the cluster is called; as the context unless told')
    .option('--namespace <namespaces>', 'the only namespaces that are delivered to; may be repeated', collectMany)
    .option('--label <name=value>', 'a label of the cluster; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation of the cluster; may be repeated', collect)
    .option('--project <name>', 'the only project that may use it')
    .option('--shard <number>', 'the shard that looks after it', count)
    .option('--service-account <name>', 'an account that is there, instead of a new argocd-manager')
    .option('--system-namespace <namespace>', 'where the account lives', 'kube-system')
    .addOption(new Option('--cluster-endpoint <endpoint>', 'the address to use').choices(['kubeconfig', 'internal']))
    .option('--proxy-url <url>', 'the proxy to use')
    .option(
      '--exec-command <program>',
      'what gives the credentials, instead of an account; it must be there where Argosy runs',
    )
    .option('--exec-command-args <words>', 'its arguments; may be repeated', collectMany)
    .option('--exec-command-env <name=value>', 'a variable for it; may be repeated', collect)
    .addOption(
      new Option('--exec-command-api-version <version>', 'what it speaks').choices([
        'client.authentication.k8s.io/v1',
        'client.authentication.k8s.io/v1beta1',
      ]),
    )
    .option('--exec-command-install-hint <text>', 'what to say where it is missing');
  for (const [flags, about] of [
    ['--in-cluster', 'it is the cluster of the control plane: use the address inside'],
    ['--cluster-resources', 'with --namespace: objects without a namespace too'],
    ['--upsert', 'change the cluster where there is one at this address'],
    ['-y, --yes', 'do not ask'],
  ] as const)
    toggle(made, flags, about);
  made.action((context: string, flags: AddClusterFlags) =>
    group.run(flags, 'write', async (session) => {
      if (!(await (await import('./add-cluster.js')).addCluster(session, context, flags))) exit(1);
    }),
  );
}
