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
  collectList,
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
      command(group, 'manifests <name>', 'print the manifests of an application', [
        'manifests guestbook',
        'manifests guestbook --source live',
        'manifests guestbook --revision v1',
        'manifests guestbook --local ./apps/guestbook',
      ]),
    ),
  )
    .addOption(new Option('--source <source>', 'manifests from git, or live').choices(['git', 'live']).default('git'))
    .action(async (name: string, flags: Parameters<typeof import('./manifests.js')['manifests']>[2]) => {
      await group.run(flags, 'read', async (session) =>
        (await import('./manifests.js')).manifests(session, name, flags),
      );
    });
}

function addResources(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'resources <name>', 'list the resources of an application', [
      'resources guestbook',
      'resources guestbook --orphaned',
      'resources guestbook -o tree',
    ]),
  ).addOption(output(['tree', 'tree=detailed']));
  toggle(made, '--orphaned', 'list only orphaned resources');
  made.action(async (name: string, flags: Parameters<typeof import('./resources.js')['resources']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./resources.js')).resources(session, name, flags));
  });
}

function addLogs(group: AppGroup): void {
  const made = command(group, 'logs <name>', "print the logs of an application's pods", [
    'logs guestbook',
    'logs guestbook --kind Deployment --name web --tail 100',
    'logs guestbook -f --filter error',
  ])
    .option('--group <group>', 'select resources by group')
    .option('--kind <kind>', 'select resources by kind')
    .option('--namespace <namespace>', 'select resources by namespace')
    .option('--name <name>', 'select a resource by name')
    .option('-c, --container <name>', 'only this container')
    .option('--tail <lines>', 'number of lines from the end', count, 0)
    .option('--since-seconds <seconds>', 'only lines of the last N seconds', count, 0)
    .option('--until-time <time>', 'only lines up to this time, such as 2026-10-06T15:30:00Z')
    .option('--filter <text>', 'only lines that contain this text');
  toggle(made, '-f, --follow', 'stream logs until stopped');
  toggle(made, '-p, --previous', 'logs of the previous container');
  toggle(made, '-m, --match-case', 'case-sensitive filter');
  made.action(async (name: string, flags: Parameters<typeof import('./logs.js')['logs']>[2]) => {
    await group.run(flags, 'read', async (session) => (await import('./logs.js')).logs(session, name, flags));
  });
}

function addActions(group: AppGroup): void {
  const actions = group.app.command('actions').description('list and run resource actions');
  const inner: AppGroup = { ...group, app: actions };
  choosing(
    command(inner, 'list <name>', 'list resource actions', [
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
  toggle(run, '--all', 'run on all matching resources');
  run.action(async (name: string, action: string, flags: Parameters<typeof import('./actions.js')['runAction']>[3]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./actions.js')).runAction(session, name, action, flags),
    );
  });
}

/** Which objects are meant. */
function choosing(made: Command, isKindNeeded: boolean): Command {
  const kind = new Option('--kind <kind>', 'select resources by kind');
  return made
    .addOption(isKindNeeded ? kind.makeOptionMandatory() : kind)
    .option('--group <group>', 'select resources by group')
    .option('--namespace <namespace>', 'select resources by namespace')
    .option('--resource-name <name>', 'the resource of this name');
}

function addGetResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'get-resource <name>', 'show live resources of an application, or some of their fields', [
      'get-resource guestbook --kind Pod',
      'get-resource guestbook --kind Deployment --resource-name web -o yaml',
      'get-resource guestbook --kind Pod --filter-fields status.podIP,status.hostIP',
    ]),
    true,
  )
    .option('--filter-fields <fields>', 'only these fields, comma-separated; may be repeated', collectList)
    .option('--project <name>', 'project of the application; optional')
    .addOption(output(['wide', 'yaml', 'json'], 'wide'));
  toggle(made, '--show-managed-fields', 'include metadata.managedFields');
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['getResource']>[2]) => {
    await group.run(flags, 'read', async (session) =>
      (await import('./live-resources.js')).getResource(session, name, flags),
    );
  });
}

function addPatchResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'patch-resource <name>', 'patch a live resource of an application', [
      `patch-resource guestbook --kind Deployment --resource-name web --patch '{"spec": {"replicas": 2}}'`,
    ]),
    true,
  )
    .requiredOption('--patch <text>', 'the patch')
    .addOption(
      new Option('--patch-type <type>', 'patch type')
        .choices([
          'application/json-patch+json',
          'application/merge-patch+json',
          'application/strategic-merge-patch+json',
        ])
        .default('application/merge-patch+json'),
    )
    .option('--project <name>', 'project of the application; optional');
  toggle(made, '--all', 'all matching resources');
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['patchResource']>[2]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./live-resources.js')).patchResource(session, name, flags),
    );
  });
}

function addDeleteResource(group: AppGroup): void {
  const made = choosing(
    command(group, 'delete-resource <name>', 'delete a live resource of an application', [
      'delete-resource guestbook --kind ConfigMap --resource-name settings',
      'delete-resource guestbook --kind Deployment --resource-name web --orphan',
    ]),
    true,
  ).option('--project <name>', 'project of the application; optional');
  for (const [flags, about] of [
    ['--force', 'delete without a grace period'],
    ['--orphan', 'orphan dependents'],
    ['--all', 'all matching resources'],
    ['--prompts-enabled', 'prompt for confirmation'],
  ] as const)
    toggle(made, flags, about);
  made.action(async (name: string, flags: Parameters<typeof import('./live-resources.js')['deleteResource']>[2]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./live-resources.js')).deleteResource(session, name, flags),
    );
  });
}
