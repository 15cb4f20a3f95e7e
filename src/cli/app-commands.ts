import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AppFlags, AppSession } from './app/session.js';
import type { FlagValue } from './app/spec-flag.js';
import { SPEC_FLAGS } from './app/spec-flags.js';
import type { CliWorld } from './cli-world.js';

/** How a command ends: with a code of its own, or with another code than usual where it fails. */
export interface Ending {
  exit(code: number): void;
  failWith(code: number): void;
}

/** What diff answers where it could not compare. */
const DIFF_FAILED = 2;

interface Group {
  readonly app: Command;
  readonly world: CliWorld;
  readonly ending: Ending;
  /** Opens the cluster, runs, prints what comes back. */
  run(flags: AppFlags, access: 'read' | 'write', act: (session: AppSession) => Promise<string | void>): Promise<void>;
}

/** `argosy app ...`: applications, as `argocd app` shows and changes them. */
export function addApp(program: Command, world: CliWorld, ending: Ending): void {
  const app = program.command('app').description('show, create, change, sync and delete applications');
  const run: Group['run'] = async (flags, access, act) => {
    const { withSession } = await import('./app/session.js');
    const text = await withSession(flags, world, access, act);
    if (typeof text === 'string') world.stdout.write(text);
  };
  const group: Group = { app, world, ending, run };
  for (const add of [addList, addGet, addCreate, addSet, addSync, addWait, addDiff, addManifests, addHistory, addRollback, addResources, addWaves, addLogs, addActions, addTerminate, addDelete]) add(group);
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
const count = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number`);
  return Number(text);
};
const counts = (text: string, before: readonly number[] = []): number[] => [...before, ...text.split(',').map(count)];
const output = (choices: readonly string[], chosen?: string): Option => {
  const option = new Option('-o, --output <format>', 'how to print').choices(choices);
  return chosen === undefined ? option : option.default(chosen);
};
const SHOWN = ['json', 'yaml', 'wide', 'tree', 'tree=detailed'];

/** A command with the flags that say which cluster and namespace. `namespace` means the resource's own where a command has such a flag. */
function command({ app, world }: Group, words: string, description: string, examples: readonly string[]): Command {
  return app.command(words)
    .description(description)
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .addOption(new Option('--control-namespace <namespace>', 'the namespace of the control plane').default(world.environment['ARGOSY_NAMESPACE'] ?? 'argocd'))
    .addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n${examples.map((example) => `  argosy app ${example}`).join('\n')}`);
}

/** `--namespace`, where no resource is spoken of, is the control plane's. */
function ownNamespace(made: Command): Command {
  return made.option('--namespace <namespace>', 'the same as --control-namespace').hook('preAction', (_, action) => {
    const { namespace } = action.opts<{ namespace?: string }>();
    if (namespace !== undefined) action.setOptionValue('controlNamespace', namespace);
  });
}

/** A switch that may also be written `--name=false`. */
export function toggle(made: Command, flags: string, about: string): Command {
  const name = /--([a-zA-Z-]+)/.exec(flags)?.[1] ?? '';
  return made.option(flags, about).addOption(new Option(`--no-${name}`).hideHelp());
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

function addList(group: Group): void {
  ownNamespace(command(group, 'list', 'list applications', ['list', 'list -l team=shop -o wide', "list -p default -o name"]))
    .addOption(output(['wide', 'name', 'json', 'yaml'], 'wide'))
    .option('-l, --selector <selector>', 'only applications with these labels')
    .option('-p, --project <name>', 'only applications of this project; may be repeated', collect)
    .option('-r, --repo <url>', 'only applications of this repository')
    .option('-c, --cluster <cluster>', 'only applications that go to this cluster, by address or name')
    .option('-P, --path <path>', 'only applications of this folder')
    .action(async (flags: Parameters<typeof import('./app/list.js')['list']>[1]) => {
      await group.run(flags, 'read', async (session) => (await import('./app/list.js')).list(session, flags));
    });
}

function addGet(group: Group): void {
  const made = ownNamespace(command(group, 'get <name>', 'show an application', ['get guestbook', 'get guestbook -o tree', 'get guestbook --refresh --show-operation']))
    .addOption(output(SHOWN, 'wide'))
    .option('--timeout <seconds>', 'how long to wait for a refresh, 0 for as long as it takes', count, 0)
    .option('--source-position <position>', 'which of several sources, from 1', count)
    .option('--source-name <name>', 'which of several sources');
  toggle(made, '--refresh', 'compare with git first');
  toggle(made, '--hard-refresh', 'compare with git first, and make the manifests again');
  toggle(made, '--show-operation', 'show the last operation');
  toggle(made, '--show-params', 'show the parameters of the source');
  made.action(async (name: string, flags: Parameters<typeof import('./app/get.js')['get']>[2]) => {
    const access = flags.refresh === true || flags.hardRefresh === true ? 'write' : 'read';
    await group.run(flags, access, async (session) => (await import('./app/get.js')).get(session, name, flags));
  });
}

function withSpecFlags(made: Command): Command {
  for (const { flags, about, kind } of SPEC_FLAGS) {
    if (kind === 'switch') toggle(made, flags, about);
    else if (kind === 'list') made.option(flags, about, collect);
    else if (kind === 'number') made.option(flags, about, Number);
    else made.option(flags, about);
  }
  return toggle(made, '--validate', 'check the application before it is written (default true)');
}

function addCreate(group: Group): void {
  const made = withSpecFlags(command(group, 'create [name]', 'create an application', [
    'create guestbook --repo https://github.com/argoproj/argocd-example-apps.git --path guestbook --dest-server https://kubernetes.default.svc --dest-namespace default',
    'create nginx --repo https://charts.example.com --helm-chart nginx --revision 1.24.3 --helm-set replicaCount=2 --dest-name in-cluster',
    'create -f application.yaml --upsert',
  ]))
    .option('-f, --file <file>', 'a file with one Application or several, - for standard input')
    .option('--name <name>', 'the name of the application')
    .option('-l, --label <name=value>', 'a label of the application; may be repeated', collect)
    .option('--annotations <name=value>', 'an annotation of the application; may be repeated', collect);
  toggle(made, '--upsert', 'change the application where there is one of this name');
  toggle(made, '--set-finalizer', 'delete the resources together with the application');
  made.action(async (name: string | undefined, flags: Parameters<typeof import('./app/create.js')['create']>[2] & Readonly<Record<string, FlagValue | undefined>>) => {
    await group.run(flags, 'write', async (session) => (await import('./app/create.js')).create(session, name, flags, flags));
  });
}

function addSet(group: Group): void {
  withSpecFlags(command(group, 'set <name>', 'change the source, the destination or the policy of an application', ['set guestbook --revision v2', 'set guestbook --helm-set image.tag=v1.0.1', 'set guestbook --sync-policy automated --auto-prune --self-heal']))
    .option('--source-position <position>', 'which of several sources, from 1', count)
    .option('--source-name <name>', 'which of several sources')
    .action(async (name: string, flags: Parameters<typeof import('./app/create.js')['set']>[2] & Readonly<Record<string, FlagValue | undefined>>) => {
      await group.run(flags, 'write', async (session) => {
        const [{ set }, { applicationId }] = await Promise.all([import('./app/create.js'), import('./app/application-object.js')]);
        await set(session, applicationId(name, session), flags, flags);
      });
    });
}

function addSync(group: Group): void {
  const made = ownNamespace(command(group, 'sync [names...]', 'bring applications to the state of git', ['sync guestbook', 'sync guestbook --prune --timeout 300', "sync guestbook --resource apps:Deployment:web --resource '!:Service:web'", 'sync -l team=shop --async']))
    .option('--revision <revision>', 'sync to this revision instead of the one of the application')
    .option('--revisions <revision>', 'a revision for one of several sources; may be repeated', collect)
    .option('--source-positions <positions>', 'the sources of --revisions, from 1; may be repeated', counts)
    .option('--source-names <name>', 'the sources of --revisions; may be repeated', collect)
    .option('--resource <resource>', 'only this resource, [!]GROUP:KIND:[NAMESPACE/]NAME, * for any; may be repeated', collect)
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
    .addOption(output(SHOWN, 'wide'));
  for (const [flags, about] of [
    ['--prune', 'delete what git no longer has'], ['--dry-run', 'only ask the cluster what it would do'], ['--force', 'delete and create where a change is refused'],
    ['--replace', 'replace instead of apply'], ['--server-side', 'apply on the server'], ['--apply-out-of-sync-only', 'only what differs'], ['--async', 'do not wait'],
    ['--retry-refresh', 'each attempt takes the newest revision'], ['--preview-changes', 'show what would change, and ask'], ['--assumeYes', 'answer yes to every question'],
  ] as const) toggle(made, flags, about);
  made.action(async (names: string[], flags: Parameters<typeof import('./app/sync.js')['sync']>[2]) => {
    await group.run(flags, 'write', async (session) => (await import('./app/sync.js')).sync(session, names, flags));
  });
}

function addWait(group: Group): void {
  const made = ownNamespace(command(group, 'wait [names...]', 'wait until applications are as they should be: synced, healthy and without an operation, unless told', ['wait guestbook', 'wait guestbook --health --timeout 120', 'wait guestbook --revision 1a2b3c4', 'wait guestbook --resource apps:Deployment:web']))
    .option('--revision <revision>', 'wait until this revision is deployed')
    .option('--resource <resource>', 'only this resource, [!]GROUP:KIND:[NAMESPACE/]NAME, * for any; may be repeated', collect)
    .option('-l, --selector <selector>', 'applications with these labels')
    .option('--timeout <seconds>', 'how long to wait, 0 for as long as it takes', count, 0)
    .addOption(output(SHOWN, 'wide'));
  for (const [flags, about] of [
    ['--sync', 'wait until it is Synced'], ['--health', 'wait until it is Healthy'], ['--operation', 'wait until no operation runs'], ['--suspended', 'wait until it is Suspended'],
    ['--degraded', 'wait until it is Degraded'], ['--delete', 'wait until it is gone'], ['--hydrated', 'wait until it is hydrated'],
  ] as const) toggle(made, flags, about);
  made.action(async (names: string[], flags: Parameters<typeof import('./app/wait.js')['wait']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./app/wait.js')).wait(session, names, flags));
  });
}

function addDiff(group: Group): void {
  const made = ownNamespace(command(group, 'diff <name>', 'show what a sync would change, and who owns what differs; exit 0 nothing, 1 something, 2 error', ['diff guestbook', 'diff guestbook --revision feature', 'diff guestbook --exit-code=false']))
    .option('--revision <revision>', 'compare with this revision')
    .option('--diff-exit-code <code>', 'the exit code where something differs', count, 1);
  toggle(made, '--refresh', 'let the controller compare first');
  toggle(made, '--hard-refresh', 'make the manifests again');
  toggle(made, '--exit-code', 'tell differences by the exit code (default true)');
  made.action(async (name: string, flags: Parameters<typeof import('./app/diff.js')['diff']>[2]) => {
    group.ending.failWith(DIFF_FAILED);
    await group.run(flags, flags.refresh === true ? 'write' : 'read', async (session) => { group.ending.exit(await (await import('./app/diff.js')).diff(session, name, flags)); });
  });
}

function addManifests(group: Group): void {
  ownNamespace(command(group, 'manifests <name>', 'print the objects of an application', ['manifests guestbook', 'manifests guestbook --source live', 'manifests guestbook --revision v1']))
    .addOption(new Option('--source <source>', 'as git has them, or as the cluster has them').choices(['git', 'live']).default('git'))
    .option('--revision <revision>', 'at this revision')
    .action(async (name: string, flags: Parameters<typeof import('./app/manifests.js')['manifests']>[2]) => {
      await group.run(flags, 'read', async (session) => (await import('./app/manifests.js')).manifests(session, name, flags));
    });
}

function addHistory(group: Group): void {
  ownNamespace(command(group, 'history <name>', 'show what was deployed when', ['history guestbook', 'history guestbook -o id']))
    .addOption(output(['wide', 'id'], 'wide'))
    .action(async (name: string, flags: AppFlags & { readonly output: string }) => {
      await group.run(flags, 'read', async (session) => (await import('./app/history.js')).history(session, name, flags));
    });
}

function addRollback(group: Group): void {
  const made = ownNamespace(command(group, 'rollback <name> [id]', 'go back to an earlier deployment, by the id that history shows; without one, to the last but one', ['rollback guestbook', 'rollback guestbook 3 --prune']))
    .option('--timeout <seconds>', 'how long to wait, 0 for as long as it takes', count, 0)
    .addOption(output(SHOWN, 'wide'));
  toggle(made, '--prune', 'delete what that deployment does not have');
  made.action(async (name: string, id: string | undefined, flags: AppFlags & { readonly prune?: boolean; readonly timeout: number; readonly output: string }) => {
    const wanted = id === undefined ? undefined : count(id);
    await group.run(flags, 'write', async (session) => {
      const [{ rollback }, { applicationId }] = await Promise.all([import('./app/sync.js'), import('./app/application-object.js')]);
      await rollback(session, applicationId(name, session), wanted, flags);
    });
  });
}

function addResources(group: Group): void {
  const made = ownNamespace(command(group, 'resources <name>', 'list what an application manages', ['resources guestbook', 'resources guestbook --orphaned', 'resources guestbook -o tree']))
    .addOption(output(['tree', 'tree=detailed']));
  toggle(made, '--orphaned', 'only what no application manages');
  made.action(async (name: string, flags: Parameters<typeof import('./app/resources.js')['resources']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./app/resources.js')).resources(session, name, flags));
  });
}

function addWaves(group: Group): void {
  const made = ownNamespace(command(group, 'waves <name>', 'print the order of a sync, and what each step waits for', ['waves guestbook', 'waves guestbook --check']))
    .option('--revision <revision>', 'of this revision')
    .addOption(output(['wide', 'json']));
  toggle(made, '--check', 'find what cannot work in this order; exit 1 where there is something');
  made.action(async (name: string, flags: Parameters<typeof import('./app/waves.js')['waves']>[2]) => {
    await group.run(flags, 'read', async (session) => {
      const { text, hasProblems } = await (await import('./app/waves.js')).waves(session, name, flags);
      if (hasProblems) group.ending.exit(1);
      return text;
    });
  });
}

function addLogs(group: Group): void {
  const made = command(group, 'logs <name>', "print what the application's pods wrote", ['logs guestbook', 'logs guestbook --kind Deployment --name web --tail 100', 'logs guestbook -f --filter error'])
    .option('--group <group>', 'of a resource of this group').option('--kind <kind>', 'of a resource of this kind')
    .option('--namespace <namespace>', 'of a resource in this namespace').option('--name <name>', 'of a resource of this name')
    .option('-c, --container <name>', 'only this container')
    .option('--tail <lines>', 'only the last lines', count, 0)
    .option('--since-seconds <seconds>', 'only lines of the last seconds', count, 0)
    .option('--until-time <time>', 'only lines up to this time, as 2026-10-06T15:30:00Z')
    .option('--filter <text>', 'only lines with this text');
  toggle(made, '-f, --follow', 'go on until stopped');
  toggle(made, '-p, --previous', 'of the container before its last restart');
  toggle(made, '-m, --match-case', 'the filter tells capitals from small letters');
  made.action(async (name: string, flags: Parameters<typeof import('./app/logs.js')['logs']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./app/logs.js')).logs(session, name, flags));
  });
}

function addActions(group: Group): void {
  const actions = group.app.command('actions').description('what can be done with the resources of an application');
  const inner: Group = { ...group, app: actions };
  const choosing = (made: Command): Command => made
    .option('--group <group>', 'resources of this group').option('--kind <kind>', 'resources of this kind')
    .option('--namespace <namespace>', 'resources in this namespace').option('--resource-name <name>', 'the resource of this name');
  choosing(command(inner, 'list <name>', 'list the actions', ['actions list guestbook', 'actions list guestbook --kind Deployment']))
    .addOption(output(['json', 'yaml']))
    .action(async (name: string, flags: Parameters<typeof import('./app/actions.js')['listActions']>[2]) => {
      await group.run(flags, 'read', async (session) => (await import('./app/actions.js')).listActions(session, name, flags));
    });
  const run = choosing(command(inner, 'run <name> <action>', 'run an action', ['actions run guestbook restart --kind Deployment --resource-name web']))
    .option('--param <name=value>', 'a parameter of the action; may be repeated', collect);
  toggle(run, '--all', 'on every resource that fits');
  run.action(async (name: string, action: string, flags: Parameters<typeof import('./app/actions.js')['runAction']>[3]) => {
    await group.run(flags, 'write', async (session) => (await import('./app/actions.js')).runAction(session, name, action, flags));
  });
}

function addTerminate(group: Group): void {
  ownNamespace(command(group, 'terminate-op <name>', 'end the operation that runs', ['terminate-op guestbook']))
    .action(async (name: string, flags: AppFlags) => {
      await group.run(flags, 'write', async (session) => {
        const [{ terminate }, { applicationId }] = await Promise.all([import('./app/operation.js'), import('./app/application-object.js')]);
        return terminate(session, applicationId(name, session));
      });
    });
}

function addDelete(group: Group): void {
  const made = ownNamespace(command(group, 'delete [names...]', 'delete applications', ['delete guestbook', 'delete guestbook --cascade=false', 'delete -l team=shop --yes --wait']))
    .option('-p, --propagation-policy <policy>', 'foreground or background deletion of the resources')
    .option('-l, --selector <selector>', 'applications with these labels');
  toggle(made, '--cascade', 'delete the resources too (default true)');
  toggle(made, '-y, --yes', 'do not ask');
  toggle(made, '--wait', 'wait until they are gone');
  made.action(async (names: string[], flags: Parameters<typeof import('./app/delete.js')['remove']>[2]) => {
    await group.run(flags, 'write', async (session) => {
      if (await (await import('./app/delete.js')).remove(session, names, flags) > 0) group.ending.exit(1);
    });
  });
}
