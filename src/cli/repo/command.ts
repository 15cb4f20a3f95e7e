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
    .verb('list', 'list repositories, and whether each answers', ['list', 'list -o url'])
    .addOption(outputs())
    .option('--refresh <how>', 'hard; every list asks anew')
    .action((flags: AppFlags & { readonly output: string }) =>
      group.run(flags, 'read', async (session) => (await load()).listRepositories(session, flags.output)),
    );
  group
    .verb('get <repository>', 'show a repository', ['get https://git.example.com/shop.git'])
    .addOption(outputs())
    .option('--project <name>', 'that of this project')
    .option('--refresh <how>', 'hard; every look asks anew')
    .action((url: string, flags: AppFlags & { readonly output: string; readonly project?: string }) =>
      group.run(flags, 'read', async (session) => (await load()).getRepository(session, url, flags)),
    );
  addAdd(group);
  group
    .verb('rm <repositories...>', 'remove repositories', ['rm https://git.example.com/shop.git'])
    .option('--project <name>', 'that of this project', '')
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
    .verb('add <repository>', 'add a repository; it is asked before anything is written', [
      'add https://git.example.com/shop.git --username robot --password-stdin < password.txt',
      'add git@git.example.com:shop.git --ssh-private-key-path ~/.ssh/id_ed25519',
      'add https://charts.example.com --type helm --name charts',
    ])
    .addOption(new Option('--type <type>', 'git, helm or oci').choices(['git', 'helm', 'oci']).default('git'))
    .option('--name <name>', 'its name; a chart repository needs one')
    .option('--project <name>', 'only for this project')
    .option('--username <name>', 'who signs in')
    .option('--password <password>', 'with what; others on this machine can see it, unlike with --password-stdin')
    .option('--bearer-token <token>', 'a token instead')
    .option('--ssh-private-key-path <file>', 'a key for ssh')
    .option('--tls-client-cert-path <file>', 'a client certificate')
    .option('--tls-client-cert-key-path <file>', 'and its key')
    .option('--github-app-id <id>', 'a GitHub app')
    .option('--github-app-installation-id <id>', 'its installation')
    .option('--github-app-private-key-path <file>', 'its key')
    .option('--github-app-enterprise-base-url <url>', 'the API of an enterprise server')
    .option('--proxy <url>', 'a proxy on the way')
    .addOption(plainOption('--no-proxy <hosts>', 'hosts that are reached without it'))
    .option('--depth <commits>', 'how many commits back are fetched');
  for (const [flag, about] of [
    ['--password-stdin', 'read the password from standard input'],
    ['--insecure-skip-server-verification', 'do not check who answers'],
    ['--insecure-ignore-host-key', 'the same, in its old words'],
    ['--insecure-oci-force-http', 'a registry without TLS'],
    ['--enable-oci', 'charts in a registry'],
    ['--enable-lfs', 'large files'],
    ['--force-http-basic-auth', 'name and password with the first request'],
    ['--upsert', 'change what is there'],
  ] as const)
    toggle(made, flag, about);
  made.action((url: string, flags: AppFlags & AddFlags) =>
    group.run(flags, 'write', async (session) => (await load()).addRepository(session, url, flags)),
  );
}
