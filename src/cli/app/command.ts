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
    if (name === undefined) return word;
    return value === 'true' ? `--${name}` : `--no-${name}`;
  });
}

function addList(group: AppGroup): void {
  ownNamespace(
    command(group, 'list', 'list applications', ['list', 'list -l team=shop -o wide', 'list -p default -o name']),
  )
    .addOption(output(['wide', 'name', 'json', 'yaml'], 'wide'))
    .option('-l, --selector <selector>', 'filter by label')
    .option('-p, --project <name>', 'filter by project; may be repeated', collect)
    .option('-r, --repo <url>', 'filter by repository')
    .option('-c, --cluster <cluster>', 'filter by destination cluster, URL or name')
    .option('-P, --path <path>', 'filter by path')
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
    .option('--timeout <seconds>', 'timeout in seconds for a refresh, 0 for none', count, 0)
    .option('--source-position <position>', 'position of the source, from 1', count)
    .option('--source-name <name>', 'name of the source');
  toggle(made, '--refresh', 'refresh the application first');
  toggle(made, '--hard-refresh', 'refresh the application and its manifest cache first');
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
      command(group, 'sync [names...]', 'sync applications to their target state', [
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
      'sync only this resource, [!]GROUP:KIND:[NAMESPACE/]NAME, * for any; may be repeated',
      collect,
    )
    .option('--label <name=value>', 'sync only resources with this label; may be repeated', collect)
    .option('-l, --selector <selector>', 'select applications by label')
    .option('--project <name>', 'select applications by project; may be repeated', collect)
    .option('--timeout <seconds>', 'timeout in seconds, 0 for none', count, 0)
    .addOption(new Option('--strategy <strategy>', 'include hooks').choices(['apply', 'hook']).default('hook'))
    .option('--retry-limit <count>', 'maximum number of retries of a failed sync', Number, 0)
    .option('--retry-backoff-duration <duration>', 'initial backoff between retries', '5s')
    .option('--retry-backoff-max-duration <duration>', 'maximum backoff between retries', '3m')
    .option('--retry-backoff-factor <factor>', 'backoff factor between retries', Number, 2)
    .option('--info <name=value>', 'info for the operation; may be repeated', collect)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  for (const [flags, about] of [
    ['--prune', 'prune resources that are no longer in git'],
    ['--dry-run', 'server-side dry run'],
    ['--force', 'delete and recreate if an update is rejected'],
    ['--replace', 'use replace instead of apply'],
    ['--server-side', 'use server-side apply'],
    ['--apply-out-of-sync-only', 'apply only out-of-sync resources'],
    ['--async', 'do not wait for completion'],
    ['--retry-refresh', 'retry with the latest revision'],
    ['--preview-changes', 'show the changes and prompt before applying'],
    ['--assumeYes', 'answer yes to all prompts'],
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
      'wait until applications reach a state; by default synced, healthy and no operation running',
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
    .option('-l, --selector <selector>', 'select applications by label')
    .option('--timeout <seconds>', 'timeout in seconds, 0 for none', count, 0)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  for (const [flags, about] of [
    ['--sync', 'wait until it is Synced'],
    ['--health', 'wait until it is Healthy'],
    ['--operation', 'wait until no operation is running'],
    ['--suspended', 'wait until it is Suspended'],
    ['--degraded', 'wait until it is Degraded'],
    ['--delete', 'wait until it is deleted'],
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
        'show what a sync would change and who owns each difference; exit code 0 no difference, 1 difference, 2 error',
        [
          'diff guestbook',
          'diff guestbook --revision feature',
          'diff guestbook --exit-code=false',
          'diff guestbook --local ./apps/guestbook',
        ],
      ),
    ),
  ).option('--diff-exit-code <code>', 'exit code if there are differences', count, 1);
  toggle(made, '--refresh', 'refresh the application first');
  toggle(made, '--hard-refresh', 'refresh the application and its manifest cache first');
  toggle(made, '--exit-code', 'exit with 1 if there are differences (default true)');
  made.action(async (name: string, flags: Parameters<typeof import('./diff.js')['diff']>[2]) => {
    group.exitStatus.failWith(DIFF_FAILED);
    await group.run(flags, flags.refresh === true ? 'write' : 'read', async (session) => {
      group.exitStatus.exit(await (await import('./diff.js')).diff(session, name, flags));
    });
  });
}

function addHistory(group: AppGroup): void {
  ownNamespace(
    command(group, 'history <name>', 'show the deployment history of an application', [
      'history guestbook',
      'history guestbook -o id',
    ]),
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
      'roll back to an earlier deployment by its history id, the previous one by default',
      ['rollback guestbook', 'rollback guestbook 3 --prune'],
    ),
  )
    .option('--timeout <seconds>', 'timeout in seconds, 0 for none', count, 0)
    .addOption(output(OUTPUT_FORMATS, 'wide'));
  toggle(made, '--prune', 'prune resources that the deployment does not have');
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
    command(group, 'waves <name>', 'print the sync waves of an application, and what each step waits for', [
      'waves guestbook',
      'waves guestbook --check',
    ]),
  )
    .option('--revision <revision>', 'use this revision')
    .addOption(output(['wide', 'json']));
  toggle(made, '--check', 'find steps that cannot succeed in this order; exit code 1 if there are any');
  made.action(async (name: string, flags: Parameters<typeof import('./waves.js')['waves']>[2]) => {
    await group.run(flags, 'read', async (session) => {
      const { text, hasProblems } = await (await import('./waves.js')).waves(session, name, flags);
      if (hasProblems) group.exitStatus.exit(1);
      return text;
    });
  });
}
