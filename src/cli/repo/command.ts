import { Option, type Command } from 'commander';
import type { AppFlags } from '../session/index.js';
import { toggle, openGroup, outputOption, type SessionGroup } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { AddFlags } from './repositories.js';

const load = (): Promise<typeof import('./repositories.js')> => import('./repositories.js');
const outputs = (): Option => outputOption(['wide', 'url', 'json', 'yaml']);

/** `argosy repo ...`: repositories, as `argocd repo` shows and changes them. */
export function addRepo(program: Command, host: CliHost): void {
  const group = openGroup(program, host, 'repo', 'show and change repositories');
  group
    .verb('list', 'list repositories and their connection status', ['list', 'list -o url'])
    .addOption(outputs())
    .option('--refresh <how>', 'hard refresh; lists are never cached')
    .action((flags: AppFlags & { readonly output: string }) =>
      group.run(flags, 'read', async (session) => (await load()).listRepositories(session, flags.output)),
    );
  group
    .verb('get <repository>', 'show a repository', ['get https://git.example.com/shop.git'])
    .addOption(outputs())
    .option('--project <name>', 'the repository of this project')
    .option('--refresh <how>', 'hard refresh; results are never cached')
    .action((url: string, flags: AppFlags & { readonly output: string; readonly project?: string }) =>
      group.run(flags, 'read', async (session) => (await load()).getRepository(session, url, flags)),
    );
  addAdd(group);
  group
    .verb('rm <repositories...>', 'remove repositories', ['rm https://git.example.com/shop.git'])
    .option('--project <name>', 'the repository of this project', '')
    .action((urls: string[], flags: AppFlags & { readonly project: string }) =>
      group.run(flags, 'write', async (session) => (await load()).removeRepositories(session, urls, flags.project)),
    );
}

/** A flag whose name only happens to begin with `no-`. */
function plainOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  option.negate = false;
  return option;
}

function addAdd(group: SessionGroup): void {
  const made = group
    .verb('add <repository>', 'add a repository; the connection is tested first', [
      'add https://git.example.com/shop.git --username robot --password-stdin < password.txt',
      'add git@git.example.com:shop.git --ssh-private-key-path ~/.ssh/id_ed25519',
      'add https://charts.example.com --type helm --name charts',
    ])
    .addOption(new Option('--type <type>', 'git, helm or oci').choices(['git', 'helm', 'oci']).default('git'))
    .option('--name <name>', 'name of the repository; required for Helm repositories')
    .option('--project <name>', 'project that owns the repository')
    .option('--username <name>', 'user name')
    .option('--password <password>', 'password; visible to other users of this machine, unlike with --password-stdin')
    .option('--bearer-token <token>', 'bearer token')
    .option('--ssh-private-key-path <file>', 'path to an SSH private key')
    .option('--tls-client-cert-path <file>', 'path to a TLS client certificate')
    .option('--tls-client-cert-key-path <file>', 'path to the key of the TLS client certificate')
    .option('--github-app-id <id>', 'ID of a GitHub App')
    .option('--github-app-installation-id <id>', 'installation ID of the GitHub App')
    .option('--github-app-private-key-path <file>', 'path to the private key of the GitHub App')
    .option('--github-app-enterprise-base-url <url>', 'API URL of GitHub Enterprise')
    .option('--proxy <url>', 'proxy for this repository')
    .addOption(plainOption('--no-proxy <hosts>', 'hosts that bypass the proxy'))
    .option('--depth <commits>', 'depth of the git fetch');
  for (const [flag, about] of [
    ['--password-stdin', 'read the password from standard input'],
    ['--insecure-skip-server-verification', 'skip verification of the server certificate or host key'],
    ['--insecure-ignore-host-key', 'alias of another flag, for compatibility'],
    ['--insecure-oci-force-http', 'use plain HTTP for an OCI registry'],
    ['--enable-oci', 'Helm charts are in an OCI registry'],
    ['--enable-lfs', 'enable git LFS'],
    ['--force-http-basic-auth', 'send basic authentication with the first request'],
    ['--upsert', 'update existing ApplicationSets'],
  ] as const)
    toggle(made, flag, about);
  made.action((url: string, flags: AppFlags & AddFlags) =>
    group.run(flags, 'write', async (session) => (await load()).addRepository(session, url, flags)),
  );
}
