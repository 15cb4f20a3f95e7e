import { Option, type Command } from 'commander';
import {
  collect,
  command,
  count,
  output,
  ownNamespace,
  toggle,
  withInspectFlags,
  type AppGroup,
  collectMany,
} from '../command/index.js';

/** Verbs about the objects of an application. */
export function addResourceVerbs(group: AppGroup): void {
  for (const add of [
    addManifests,
    addResources,
    addGetResource,
    addPatchResource,
    addDeleteResource,
    addLogs,
    addActions,
  ])
    add(group);
}

function addManifests(group: AppGroup): void {
  withInspectFlags(
    ownNamespace(
      command(group, 'manifests <name>', 'print the objects of an application', [
        'manifests guestbook',
        'manifests guestbook --source live',
        'manifests guestbook --revision v1',
        'manifests guestbook --local ./apps/guestbook',
      ]),
    ),
  )
    .addOption(
      new Option('--source <source>', 'as git has them, or as the cluster has them')
        .choices(['git', 'live'])
        .default('git'),
    )
    .action(async (name: string, flags: Parameters<typeof import('./manifests.js')['manifests']>[2]) => {
      await group.run(flags, 'read', async (session) =>
        (await import('./manifests.js')).manifests(session, name, flags),
      );
    });
}

function addResources(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'resources <name>', 'list what an application manages', [
      'resources guestbook',
      'resources guestbook --orphaned',
      'resources guestbook -o tree',
    ]),
  ).addOption(output(['tree', 'tree=detailed']));
  toggle(made, '--orphaned', 'only what no application manages');
  made.action(async (name: string, flags: Parameters<typeof import('./resources.js')['resources']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./resources.js')).resources(session, name, flags));
  });
}

function addLogs(group: AppGroup): void {
  const made = command(group, 'logs <name>', "print what the application's pods wrote", [
    'logs guestbook',
    'logs guestbook --kind Deployment --name web --tail 100',
    'logs guestbook -f --filter error',
  ])
    .option('--group <group>', 'of a resource of this group')
    .option('--kind <kind>', 'of a resource of this kind')
    .option('--namespace <namespace>', 'of a resource in this namespace')
    .option('--name <name>', 'of a resource of this name')
    .option('-c, --container <name>', 'only this container')
    .option('--tail <lines>', 'only the last lines', count, 0)
    .option('--since-seconds <seconds>', 'only lines of the last seconds', count, 0)
    .option('--until-time <time>', 'only lines up to this time, as 2026-10-06T15:30:00Z')
    .option('--filter <text>', 'only lines with this text');
  toggle(made, '-f, --follow', 'go on until stopped');
  toggle(made, '-p, --previous', 'of the container before its last restart');
  toggle(made, '-m, --match-case', 'the filter tells capitals from small letters');
  made.action(async (name: string, flags: Parameters<typeof import('./logs.js')['logs']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./logs.js')).logs(session, name, flags));
  });
}

function addActions(group: AppGroup): void {
  const actions = group.app.command('actions').description('what can be done with the resources of an application');
  const inner: AppGroup = { ...group, app: actions };
  choosing(
    command(inner, 'list <name>', 'list the actions', [
      'actions list guestbook',
      'actions list guestbook --kind Deployment',
    ]),
    false,
  )
    .addOption(output(['json', 'yaml']))
    .action(async (name: string, flags: Parameters<typeof import('./actions.js')['listActions']>[2]) => {
      await group.run(flags, 'read', async (session) =>
        (await import('./actions.js')).listActions(session, name, flags),
      );
    });
  const run = choosing(
    command(inner, 'run <name> <action>', 'run an action', [
      'actions run guestbook restart --kind Deployment --resource-name web',
    ]),
    false,
  ).option('--param <name=value>', 'a parameter of the action; may be repeated', collect);
  toggle(run, '--all', 'on every resource that fits');
  run.action(async (name: string, action: string, flags: Parameters<typeof import('./actions.js')['runAction']>[3]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./actions.js')).runAction(session, name, action, flags),
    );
  });
}

/** Which objects are meant. */
function choosing(made: Command, isKindNeeded: boolean): Command {
  const kind = new Option('--kind <kind>', 'resources of this kind');
  return made
    .addOption(isKindNeeded ? kind.makeOptionMandatory() : kind)
    .option('--group <group>', 'resources of this group')
    .option('--namespace <namespace>', 'resources in this namespace')
    .option('--resource-name <name>', 'the resource of this name');
}

function addGetResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'get-resource <name>', 'show live objects of an application, or some of their fields', [
      'get-resource guestbook --kind Pod',
      'get-resource guestbook --kind Deployment --resource-name web -o yaml',
      'get-resource guestbook --kind Pod --filter-fields status.podIP,status.hostIP',
    ]),
    true,
  )
    .option('--filter-fields <fields>', 'only these fields, with commas; may be repeated', collectMany)
    .option('--project <name>', 'the project of the application; it is not needed')
    .addOption(output(['wide', 'yaml', 'json'], 'wide'));
  toggle(made, '--show-managed-fields', 'show metadata.managedFields too');
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['getResource']>[2]) => {
    await group.run(flags, 'read', async (session) =>
      (await import('./live-resources.js')).getResource(session, name, flags),
    );
  });
}

function addPatchResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'patch-resource <name>', 'change a live object that an application manages', [
      `patch-resource guestbook --kind Deployment --resource-name web --patch '{"spec": {"replicas": 2}}'`,
    ]),
    true,
  )
    .requiredOption('--patch <text>', 'the patch')
    .addOption(
      new Option('--patch-type <type>', 'what the patch is')
        .choices([
          'application/json-patch+json',
          'application/merge-patch+json',
          'application/strategic-merge-patch+json',
        ])
        .default('application/merge-patch+json'),
    )
    .option('--project <name>', 'the project of the application; it is not needed');
  toggle(made, '--all', 'every resource that fits');
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['patchResource']>[2]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./live-resources.js')).patchResource(session, name, flags),
    );
  });
}

function addDeleteResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'delete-resource <name>', 'delete a live object that an application manages', [
      'delete-resource guestbook --kind ConfigMap --resource-name settings',
      'delete-resource guestbook --kind Deployment --resource-name web --orphan',
    ]),
    true,
  ).option('--project <name>', 'the project of the application; it is not needed');
  for (const [flags, about] of [
    ['--force', 'without waiting for it to end well'],
    ['--orphan', 'leave what belongs to it'],
    ['--all', 'every resource that fits'],
    ['--prompts-enabled', 'ask first'],
  ] as const)
    toggle(made, flags, about);
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['deleteResource']>[2]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./live-resources.js')).deleteResource(session, name, flags),
    );
  });
}
