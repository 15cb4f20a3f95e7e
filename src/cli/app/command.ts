import { Option, type Command } from 'commander';
import { addChangeVerbs } from './change-commands.js';
import {
  collect,
  command,
  count,
  output,
  ownNamespace,
  OUTPUT_FORMATS,
  toggle,
  withInspectFlags,
  type AppGroup,
  type ExitStatus,
} from '../command/index.js';
import { addResourceVerbs } from './resource-commands.js';
import type { AppFlags } from '../session/index.js';
import type { CliHost } from '../host/index.js';

/** What diff answers where it could not compare. */
const DIFF_FAILED = 2;

/** `argosy app ...`: applications, as `argocd app` shows and changes them. */
export function addApp(program: Command, host: CliHost, ending: ExitStatus): void {
  const app = program.command('app').description('show, create, change, sync and delete applications');
  const run: AppGroup['run'] = async (flags, access, act) => {
    const { withSession } = await import('../session/app-session.js');
    const text = await withSession(flags, host, access, act);
    if (typeof text === 'string') host.stdout.write(text);
  };
  const group: AppGroup = { app, host: host, exitStatus: ending, run };
  for (const add of [
    addList,
    addGet,
    addSync,
    addWait,
    addDiff,
    addHistory,
    addRollback,
    addWaves,
    addChangeVerbs,
    addResourceVerbs,
  ])
    add(group);
}

/** Groups whose switches are those of Argo CD. */
const SWITCHING = ['app', 'proj', 'repo', 'cluster', 'appset', 'admin'];

/** `--name=true` and `--name=false`, as the flags of Go may be written, for the words of commander. */
export function spellSwitches(argv: readonly string[]): string[] {
  if (!SWITCHING.includes(argv[0] ?? '')) return [...argv];
  return argv.map((word) => {
    const [, name, value] = /^--([a-zA-Z-]+)=(true|false)$/.exec(word) ?? [];
    return name === undefined ? word : value === 'true' ? `--${name}` : `--no-${name}`;
  });
}

function addList(group: AppGroup): void {
  ownNamespace(
    command(group, 'list', 'list applications', ['list', 'list -l team=shop -o wide', 'list -p default -o name']),
  )
    .addOption(output(['wide', 'name', 'json', 'yaml'], 'wide'))
    .option('-l, --selector <selector>', 'only applications with these labels')
    .option('-p, --project <name>', 'only applications of this project; may be repeated', collect)
    .option('-r, --repo <url>', 'only applications of this repository')
    .option('-c, --cluster <cluster>', 'only applications that go to this cluster, by address or name')
    .option('-P, --path <path>', 'only applications of this folder')
    .action(async (flags: Parameters<typeof import('./list.js')['list']>[1]) => {
      await group.run(flags, 'read', async (session) => (await import('./list.js')).list(session, flags));
    });
}

function addGet(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'get <name>', 'show an application', [
      'get guestbook',
      'get guestbook -o tree',
      'get guestbook --refresh --show-operation',
    ]),
  )
    .addOption(output(OUTPUT_FORMATS, 'wide'))
    .option('--timeout <seconds>', 'how long to wait for a refresh, 0 for as long as it takes', count, 0)
    .option('--source-position <position>', 'which of several sources, from 1', count)
    .option('--source-name <name>', 'which of several sources');
  toggle(made, '--refresh', 'compare with git first');
  toggle(made, '--hard-refresh', 'compare with git first, and make the manifests again');
  toggle(made, '--show-operation', 'show the last operation');
  toggle(made, '--show-params', 'show the parameters of the source');
  made.action(async (name: string, flags: Parameters<typeof import('./get.js')['get']>[2]) => {
    const access = flags.refresh === true || flags.hardRefresh === true ? 'write' : 'read';
    await group.run(flags, access, async (session) => (await import('./get.js')).get(session, name, flags));
  });
}

function addSync(group: AppGroup): void {
  const made = withInspectFlags(
    ownNamespace(
      command(group, 'sync [names...]', 'bring applications to the state of git', [
        'sync guestbook',
        'sync guestbook --prune --timeout 300',
        "sync guestbook --resource apps:Deployment:web --resource '!:Service:web'",
        'sync -l team=shop --async',
        'sync guestbook --local ./apps/guestbook --preview-changes',
      ]),
    ),
  )
    .option(
      '--resource <resource>',
      'only this resource, [!]GROUP:KIND:[NAMESPACE/]NAME, * for any; may be repeated',
      collect,
    )
    .option('--label <name=value>', 'only resources with this label; may be repeated', collect)
    .option('-l, --selector <selector>', 'applications with these labels')
    .option('--project <name>', 'applications of this project; may be repeated', collect)
    .option('--timeout <seconds>', 'how long to wait, 0 for as long as it takes', count, 0)
    .addOption(new Option('--strategy <strategy>', 'with hooks or without').choices(['apply', 'hook']).default('hook'))
    .option('--retry-limit <count>', 'how often a failed sync is tried again', Number, 0)
    .option('--retry-backoff-duration <duration>', 'the first pause between attempts', '5s')
    .option('--retry-backoff-max-duration <duration>', 'the longest pause between attempts', '3m')
    .option('--retry-backoff-factor <factor>', 'how much longer each pause is than the last', Number, 2)
    .option('--info <name=value>', 'a note that the operation keeps; may be repeated', collect)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  for (const [flags, about] of [
    ['--prune', 'delete what git no longer has'],
    ['--dry-run', 'only ask the cluster what it would do'],
    ['--force', 'delete and create where a change is refused'],
    ['--replace', 'replace instead of apply'],
    ['--server-side', 'apply on the server'],
    ['--apply-out-of-sync-only', 'only what differs'],
    ['--async', 'do not wait'],
    ['--retry-refresh', 'each attempt takes the newest revision'],
    ['--preview-changes', 'show what would change, and ask'],
    ['--assumeYes', 'answer yes to every question'],
  ] as const)
    toggle(made, flags, about);
  made.action(async (names: string[], flags: Parameters<typeof import('./sync.js')['sync']>[2]) => {
    await group.run(flags, 'write', async (session) => (await import('./sync.js')).sync(session, names, flags));
  });
}

function addWait(group: AppGroup): void {
  const made = ownNamespace(
    command(
      group,
      'wait [names...]',
      'wait until applications are as they should be: synced, healthy and without an operation, unless told',
      [
        'wait guestbook',
        'wait guestbook --health --timeout 120',
        'wait guestbook --revision 1a2b3c4',
        'wait guestbook --resource apps:Deployment:web',
      ],
    ),
  )
    .option('--revision <revision>', 'wait until this revision is deployed')
    .option(
      '--resource <resource>',
      'only this resource, [!]GROUP:KIND:[NAMESPACE/]NAME, * for any; may be repeated',
      collect,
    )
    .option('-l, --selector <selector>', 'applications with these labels')
    .option('--timeout <seconds>', 'how long to wait, 0 for as long as it takes', count, 0)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  for (const [flags, about] of [
    ['--sync', 'wait until it is Synced'],
    ['--health', 'wait until it is Healthy'],
    ['--operation', 'wait until no operation runs'],
    ['--suspended', 'wait until it is Suspended'],
    ['--degraded', 'wait until it is Degraded'],
    ['--delete', 'wait until it is gone'],
    ['--hydrated', 'wait until it is hydrated'],
  ] as const)
    toggle(made, flags, about);
  made.action(async (names: string[], flags: Parameters<typeof import('./wait.js')['wait']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./wait.js')).wait(session, names, flags));
  });
}

function addDiff(group: AppGroup): void {
  const made = withInspectFlags(
    ownNamespace(
      command(
        group,
        'diff <name>',
        'show what a sync would change, and who owns what differs; exit 0 nothing, 1 something, 2 error',
        [
          'diff guestbook',
          'diff guestbook --revision feature',
          'diff guestbook --exit-code=false',
          'diff guestbook --local ./apps/guestbook',
        ],
      ),
    ),
  ).option('--diff-exit-code <code>', 'the exit code where something differs', count, 1);
  toggle(made, '--refresh', 'let the controller compare first');
  toggle(made, '--hard-refresh', 'make the manifests again');
  toggle(made, '--exit-code', 'tell differences by the exit code (default true)');
  made.action(async (name: string, flags: Parameters<typeof import('./diff.js')['diff']>[2]) => {
    group.exitStatus.failWith(DIFF_FAILED);
    await group.run(flags, flags.refresh === true ? 'write' : 'read', async (session) => {
      group.exitStatus.exit(await (await import('./diff.js')).diff(session, name, flags));
    });
  });
}

function addHistory(group: AppGroup): void {
  ownNamespace(
    command(group, 'history <name>', 'show what was deployed when', ['history guestbook', 'history guestbook -o id']),
  )
    .addOption(output(['wide', 'id'], 'wide'))
    .action(async (name: string, flags: AppFlags & { readonly output: string }) => {
      await group.run(flags, 'read', async (session) => (await import('./history.js')).history(session, name, flags));
    });
}

function addRollback(group: AppGroup): void {
  const made = ownNamespace(
    command(
      group,
      'rollback <name> [id]',
      'go back to an earlier deployment, by the id that history shows; without one, to the last but one',
      ['rollback guestbook', 'rollback guestbook 3 --prune'],
    ),
  )
    .option('--timeout <seconds>', 'how long to wait, 0 for as long as it takes', count, 0)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  toggle(made, '--prune', 'delete what that deployment does not have');
  made.action(
    async (
      name: string,
      id: string | undefined,
      flags: AppFlags & { readonly prune?: boolean; readonly timeout: number; readonly output: string },
    ) => {
      const wanted = id === undefined ? undefined : count(id);
      await group.run(flags, 'write', async (session) => {
        const [{ rollback }, { applicationId }] = await Promise.all([
          import('./sync.js'),
          import('../session/application-object.js'),
        ]);
        await rollback(session, applicationId(name, session), wanted, flags);
      });
    },
  );
}

function addWaves(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'waves <name>', 'print the order of a sync, and what each step waits for', [
      'waves guestbook',
      'waves guestbook --check',
    ]),
  )
    .option('--revision <revision>', 'of this revision')
    .addOption(output(['wide', 'json']));
  toggle(made, '--check', 'find what cannot work in this order; exit 1 where there is something');
  made.action(async (name: string, flags: Parameters<typeof import('./waves.js')['waves']>[2]) => {
    await group.run(flags, 'read', async (session) => {
      const { text, hasProblems } = await (await import('./waves.js')).waves(session, name, flags);
      if (hasProblems) group.exitStatus.exit(1);
      return text;
    });
  });
}
