import { Option, type Command } from 'commander';
import { collect, command, count, ownNamespace, toggle, type AppGroup } from '../command/index.js';
import type { AppFlags } from '../session/index.js';
import { SOURCE_FLAGS } from './spec/source-flags.js';
import type { FlagShape, GivenFlags } from './spec/spec-flag.js';
import { SPEC_FLAGS } from './spec/spec-flags.js';
import { UNSET_FLAGS } from './spec/unset-flags.js';

/** Verbs that write an Application. */
export function addChangeVerbs(group: AppGroup): void {
  for (const add of [
    addCreate,
    addSet,
    addUnset,
    addPatch,
    addEdit,
    addAddSource,
    addRemoveSource,
    addTerminate,
    addConfirmDeletion,
    addDelete,
    addPruneOrphans,
  ])
    add(group);
}

function withFlags(made: Command, shapes: readonly FlagShape[]): Command {
  for (const { flags, about, kind } of shapes) {
    if (kind === 'switch') toggle(made, flags, about);
    else if (kind === 'list') made.option(flags, about, collect);
    else if (kind === 'number') made.option(flags, about, Number);
    else made.option(flags, about);
  }
  return made;
}

function withSpecFlags(made: Command, shapes: readonly FlagShape[] = SPEC_FLAGS): Command {
  return toggle(withFlags(made, shapes), '--validate', 'validate the application first (default true)');
}

function withSourceChoice(made: Command): Command {
  return made
    .option('--source-position <position>', 'position of the source, from 1', count)
    .option('--source-name <name>', 'name of the source');
}

function addCreate(group: AppGroup): void {
  const made = withSpecFlags(
    command(group, 'create [name]', 'create an application', [
      'create guestbook --repo https://github.com/argoproj/argocd-example-apps.git --path guestbook ' +
        '--dest-server https://kubernetes.default.svc --dest-namespace default',
      'create nginx --repo https://charts.example.com --helm-chart nginx --revision 1.24.3 --helm-set ' +
        'replicaCount=2 --dest-name in-cluster',
      'create -f application.yaml --upsert',
    ]),
  )
    .option('-f, --file <file>', 'file with one or more Applications, - for standard input')
    .option('--name <name>', 'the name of the application')
    .option('-l, --label <name=value>', 'a label of the application; may be repeated', collect)
    .option('--annotations <name=value>', 'an annotation of the application; may be repeated', collect);
  toggle(made, '--upsert', 'update the application if it exists');
  toggle(made, '--set-finalizer', 'set the finalizer that deletes resources with the application');
  made.action(
    async (
      name: string | undefined,
      flags: Parameters<typeof import('./spec/create.js')['create']>[2] & GivenFlags,
    ) => {
      await group.run(flags, 'write', async (session) =>
        (await import('./spec/create.js')).create(session, name, flags, flags),
      );
    },
  );
}

function addSet(group: AppGroup): void {
  withSourceChoice(
    withSpecFlags(
      command(group, 'set <name>', 'change the source, destination or sync policy of an application', [
        'set guestbook --revision v2',
        'set guestbook --helm-set image.tag=v1.0.1',
        'set guestbook --sync-policy automated --auto-prune --self-heal',
      ]),
    ),
  ).action(async (name: string, flags: Parameters<typeof import('./spec/create.js')['set']>[2] & GivenFlags) => {
    await group.run(flags, 'write', async (session) => {
      const [{ set }, { applicationId }] = await Promise.all([
        import('./spec/create.js'),
        import('../session/application-object.js'),
      ]);
      await set(session, applicationId(name, session), flags, flags);
    });
  });
}

function addTerminate(group: AppGroup): void {
  ownNamespace(
    command(group, 'terminate-op <name>', 'terminate the running operation', ['terminate-op guestbook']),
  ).action(async (name: string, flags: AppFlags) => {
    await group.run(flags, 'write', async (session) => {
      const [{ terminate }, { applicationId }] = await Promise.all([
        import('../application/operation.js'),
        import('../session/application-object.js'),
      ]);
      return terminate(session, applicationId(name, session));
    });
  });
}

function addDelete(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'delete [names...]', 'delete applications', [
      'delete guestbook',
      'delete guestbook --cascade=false',
      'delete -l team=shop --yes --wait',
    ]),
  )
    .option('-p, --propagation-policy <policy>', 'deletion propagation: foreground or background')
    .option('-l, --selector <selector>', 'select applications by label');
  toggle(made, '--cascade', 'delete the resources of the application too (default true)');
  toggle(made, '-y, --yes', 'do not prompt for confirmation');
  toggle(made, '--wait', 'wait until they are deleted');
  made.action(async (names: string[], flags: Parameters<typeof import('./delete.js')['remove']>[2]) => {
    await group.run(flags, 'write', async (session) => {
      if ((await (await import('./delete.js')).remove(session, names, flags)) > 0) group.exitStatus.exit(1);
    });
  });
}

function addPruneOrphans(group: AppGroup): void {
  const made = ownNamespace(
    command(group, 'prune-orphans', 'delete applications that git has no more', [
      'prune-orphans --dry-run',
      'prune-orphans --yes --wait',
      'prune-orphans --cascade=false',
    ]),
  );
  toggle(made, '--dry-run', 'only list them');
  toggle(made, '--cascade', 'delete the resources of the applications too (default true)');
  toggle(made, '-y, --yes', 'do not prompt for confirmation');
  toggle(made, '--wait', 'wait until they are deleted');
  made.action(async (flags: Parameters<typeof import('./prune-orphans.js')['pruneOrphans']>[1]) => {
    await group.run(flags, 'write', async (session) => {
      if ((await (await import('./prune-orphans.js')).pruneOrphans(session, flags)) > 0) group.exitStatus.exit(1);
    });
  });
}

const PROMPTS = ['--prompts-enabled', 'prompt for confirmation'] as const;

function addUnset(group: AppGroup): void {
  const made = withSourceChoice(
    withFlags(
      ownNamespace(
        command(group, 'unset <name>', 'remove overrides from a source', [
          'unset guestbook --parameter image.tag --values values-prod.yaml',
          'unset guestbook --kustomize-image alpine --namesuffix',
          'unset guestbook --source-position 2 --ref',
        ]),
      ),
      UNSET_FLAGS,
    ),
  );
  toggle(made, ...PROMPTS);
  made.action(async (name: string, flags: Parameters<typeof import('./spec/unset.js')['unset']>[2] & GivenFlags) => {
    await group.run(flags, 'write', async (session) => {
      if (!(await (await import('./spec/unset.js')).unset(session, name, flags, flags))) group.exitStatus.exit(1);
    });
  });
}

function addPatch(group: AppGroup): void {
  ownNamespace(
    command(group, 'patch <name>', 'patch an application with a JSON patch or a merge patch', [
      `patch guestbook --patch '[{"op": "replace", "path": "/spec/source/path", "value": "new"}]'`,
      `patch guestbook --type merge --patch '{"spec": {"source": {"targetRevision": "v2"}}}'`,
    ]),
  )
    .requiredOption('--patch <text>', 'the patch')
    .addOption(new Option('--type <type>', 'patch type').choices(['json', 'merge']).default('json'))
    .action(async (name: string, flags: Parameters<typeof import('./spec/patch.js')['patch']>[2]) => {
      await group.run(flags, 'write', async (session) => (await import('./spec/patch.js')).patch(session, name, flags));
    });
}

function addEdit(group: AppGroup): void {
  ownNamespace(command(group, 'edit <name>', 'edit the spec of an application in $EDITOR', ['edit guestbook'])).action(
    async (name: string, flags: AppFlags) => {
      await group.run(flags, 'write', async (session) => (await import('./spec/edit.js')).edit(session, name));
    },
  );
}

function addAddSource(group: AppGroup): void {
  withSpecFlags(
    ownNamespace(
      command(group, 'add-source <name>', 'add a source to a multi-source application', [
        'add-source guestbook --repo https://git.example.com/values.git --ref values',
        'add-source guestbook --repo https://git.example.com/shop.git --path extra --source-name extra',
      ]),
    ),
    SOURCE_FLAGS,
  )
    .option('--source-name <name>', 'name of the new source')
    .action(
      async (name: string, flags: Parameters<typeof import('./spec/sources.js')['addSource']>[2] & GivenFlags) => {
        await group.run(flags, 'write', async (session) =>
          (await import('./spec/sources.js')).addSource(session, name, flags, flags),
        );
      },
    );
}

function addRemoveSource(group: AppGroup): void {
  const made = withSourceChoice(
    ownNamespace(
      command(group, 'remove-source <name>', 'remove a source from a multi-source application', [
        'remove-source guestbook --source-position 2',
        'remove-source guestbook --source-name extra',
      ]),
    ),
  );
  toggle(made, ...PROMPTS);
  made.action(async (name: string, flags: Parameters<typeof import('./spec/sources.js')['removeSource']>[2]) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./spec/sources.js')).removeSource(session, name, flags),
    );
  });
}

function addConfirmDeletion(group: AppGroup): void {
  ownNamespace(
    command(
      group,
      'confirm-deletion <name>',
      'confirm the deletion or pruning of resources that require confirmation',
      ['confirm-deletion guestbook'],
    ),
  ).action(async (name: string, flags: AppFlags) => {
    await group.run(flags, 'write', async (session) =>
      (await import('./spec/patch.js')).confirmDeletion(session, name),
    );
  });
}
