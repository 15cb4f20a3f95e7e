import type { Command } from 'commander';
import type { AppFlags } from '../session/index.js';
import { toggle, collect, openGroup, outputOption } from '../command/index.js';
import type { ListFlags } from './application-sets.js';
import type { CliHost } from '../host/index.js';

const load = (): Promise<typeof import('./application-sets.js')> => import('./application-sets.js');
const within = (command: Command): Command =>
  command.option('-N, --appset-namespace <namespace>', 'the namespace of the ApplicationSet');

/** `argosy appset ...`: ApplicationSets, as `argocd appset` shows them. */
export function addAppset(program: Command, host: CliHost): void {
  const group = openGroup(program, host, 'appset', 'show, preview, create and delete ApplicationSets');
  within(group.verb('list', 'list ApplicationSets', ['list', 'list -l team=shop -o name']))
    .addOption(outputOption(['wide', 'name', 'json', 'yaml']))
    .option('-l, --selector <selector>', 'filter by label')
    .option('-p, --project <name>', 'filter by project; may be repeated', collect)
    .action((flags: AppFlags & ListFlags) =>
      group.run(flags, 'read', async (session) => (await load()).listSets(session, flags)),
    );
  within(group.verb('get <name>', 'show an ApplicationSet', ['get shop', 'get shop -o yaml']))
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action((name: string, flags: AppFlags & { readonly output: string; readonly appsetNamespace?: string }) =>
      group.run(flags, 'read', async (session) => (await load()).getSet(session, name, flags)),
    );
  within(
    group.verb(
      'generate <file>',
      'print the Applications that an ApplicationSet would generate, - for standard input; nothing is written',
      ['generate shop.yaml', 'generate shop.yaml -o yaml'],
    ),
  )
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action((file: string, flags: AppFlags & { readonly output: string; readonly appsetNamespace?: string }) =>
      group.run(flags, 'read', async (session) => (await load()).generateApplications(session, file, flags)),
    );
  const create = within(
    group.verb('create <files...>', 'create ApplicationSets from files, - for standard input', [
      'create shop.yaml',
      'create shop.yaml --upsert',
    ]),
  ).addOption(outputOption(['wide', 'json', 'yaml']));
  toggle(toggle(create, '--upsert', 'update existing ApplicationSets'), '--dry-run', 'server-side dry run').action(
    (
      files: string[],
      flags: AppFlags & {
        readonly output: string;
        readonly upsert?: boolean;
        readonly dryRun?: boolean;
        readonly appsetNamespace?: string;
      },
    ) => group.run(flags, 'write', async (session) => (await load()).createSets(session, files, flags)),
  );
  toggle(
    within(group.verb('delete <names...>', 'delete ApplicationSets and their Applications', ['delete shop --yes'])),
    '-y, --yes',
    'do not prompt for confirmation',
  ).action((names: string[], flags: AppFlags & { readonly appsetNamespace?: string; readonly yes?: boolean }) =>
    group.run(flags, 'write', async (session) => (await load()).deleteSets(session, names, flags)),
  );
}
