import type { Command } from 'commander';
import { collect, collectList, openGroup, type SessionGroup, toggle, type ExitStatus } from '../command/index.js';
import type { ExportFlags, ImportFlags } from './backup.js';
import type { CanFlags, RbacFlags } from './rbac.js';
import type { SettingsFlags } from './settings.js';
import type { AppFlags } from '../session/index.js';
import type { CliHost } from '../host/index.js';

const load = (): Promise<typeof import('./settings.js')> => import('./settings.js');

/**
 * `argosy admin ...`: settings tried out before they are used, as `argocd admin settings` does it, and the first
 * password.
 */
export function addAdmin(program: Command, host: CliHost, { exit }: ExitStatus): void {
  const group = openGroup(program, host, 'admin', 'tools for administrators of the control plane');
  group
    .verb('initial-password', 'print the initial admin password', ['initial-password'])
    .action((flags: AppFlags) =>
      group.run(flags, 'read', async (session) => (await import('./initial-password.js')).initialPassword(session)),
    );
  addBackup(group);
  const settings = group.command.command('settings').description('test settings before applying them');
  addRbac(settings, host, exit);
  const verb = (parent: Command, path: string, words: string, about: string, example: string): Command =>
    parent
      .command(words)
      .description(about)
      .option('--argocd-cm-path <file>', 'file with the argocd-cm ConfigMap')
      .option('--load-cluster-settings', 'use argocd-cm of the cluster instead')
      .option('--kubeconfig <file>', 'path to the kubeconfig')
      .option('--context <name>', 'kubeconfig context')
      .option('-n, --namespace <namespace>', 'the namespace of the control plane')
      .addHelpText('after', `\nExample:\n  argosy admin settings ${path}${example}`);
  verb(
    settings,
    '',
    'validate',
    'validate settings; exit code 1 if something is wrong',
    'validate --argocd-cm-path argocd-cm.yaml',
  )
    .option(
      '--group <group>',
      'validate only accounts, general, kustomize or resource-overrides; may be repeated',
      collect,
    )
    .action(async (flags: SettingsFlags & { readonly group?: readonly string[] }) => {
      const { text, isValid } = await (await load()).validate(flags.group ?? [], flags, host);
      host.stdout.write(text);
      if (!isValid) exit(1);
    });
  const overrides = settings.command('resource-overrides').description('test resource customizations of argocd-cm');
  const inner = (words: string, about: string, example: string): Command =>
    verb(overrides, 'resource-overrides ', words, about, example);
  inner(
    'health <file>',
    'print the health of an object',
    'health deployment.yaml --argocd-cm-path argocd-cm.yaml',
  ).action(async (file: string, flags: SettingsFlags) => {
    host.stdout.write(await (await load()).overrideHealth(file, flags, host));
  });
  for (const [words, setting, about] of [
    ['ignore-differences', 'ignoreDifferences', 'print the fields of an object that are not compared'],
    ['ignore-resource-updates', 'ignoreResourceUpdates', 'print the fields of an object whose updates are ignored'],
  ] as const) {
    inner(`${words} <file>`, about, `${words} deployment.yaml --argocd-cm-path argocd-cm.yaml`).action(
      async (file: string, flags: SettingsFlags) => {
        host.stdout.write(await (await import('./ignored-fields.js')).ignoredFields(setting, file, flags, host));
      },
    );
  }
  inner(
    'list-actions <file>',
    'list the actions of an object',
    'list-actions deployment.yaml --load-cluster-settings',
  ).action(async (file: string, flags: SettingsFlags) => {
    host.stdout.write(await (await load()).listOverrideActions(file, flags, host));
  });
  inner(
    'run-action <file> <action>',
    'print what an action would change',
    'run-action deployment.yaml restart --argocd-cm-path argocd-cm.yaml',
  )
    .alias('action')
    .option('--param <name=value>', 'a parameter; may be repeated', collect)
    .action(async (file: string, action: string, flags: SettingsFlags & { readonly param?: readonly string[] }) => {
      const { splitPair } = await import('../command/flag-values.js');
      const parameters = Object.fromEntries(
        (flags.param ?? []).map((text) => splitPair(text, '--param')).map(({ name, value }) => [name, value]),
      );
      host.stdout.write(await (await load()).runOverrideAction(file, action, parameters, flags, host));
    });
}

/** The whole control plane as one file, and back. */
function addBackup(group: SessionGroup): void {
  const load = (): Promise<typeof import('./backup.js')> => import('./backup.js');
  group
    .verb('export', 'print settings, credentials, projects, applications and sets as YAML', [
      'export > backup.yaml',
      'export --out backup.yaml --application-namespaces team-a,team-b',
    ])
    .option('-o, --out <file>', 'file to write, readable by its owner alone; - for standard output', '-')
    .option('--application-namespaces <names>', 'namespaces with Applications besides the control plane', collectList)
    .action((flags: AppFlags & ExportFlags) =>
      group.run(flags, 'read', async (session) => (await load()).exportAll(session, flags)),
    );
  group
    .verb('import <source>', 'create and update what an export has; - for standard input', [
      'import backup.yaml --dry-run',
      'import - --prune < backup.yaml',
    ])
    .option('--dry-run', 'ask the server about everything, change nothing')
    .option('--prune', 'delete settings, credentials, projects, applications and sets that the export has not')
    .option('--stop-operation', 'leave out operations that were running')
    .option('--application-namespaces <names>', 'namespaces with Applications besides the control plane', collectList)
    .action((source: string, flags: AppFlags & ImportFlags) =>
      group.run(flags, 'write', async (session) => (await load()).importAll(session, source, flags)),
    );
}

function addRbac(settings: Command, host: CliHost, exit: (code: number) => void): void {
  const rbac = settings.command('rbac').description('test RBAC policies before applying them');
  const verb = (words: string, about: string, examples: readonly string[]): Command =>
    rbac
      .command(words)
      .description(about)
      .option('--policy-file <file>', 'file with policy lines, or with a ConfigMap that holds them')
      .option('-n, --namespace <namespace>', 'use argocd-rbac-cm of this namespace in the cluster instead')
      .option('--kubeconfig <file>', 'path to the kubeconfig')
      .option('--context <name>', 'kubeconfig context')
      .addHelpText(
        'after',
        `\nExample${examples.length > 1 ? 's' : ''}:\n` +
          examples.map((example) => `  argosy admin settings rbac ${example}`).join('\n'),
      );
  const made = verb(
    'can <subject> <action> <resource> [object]',
    'check whether a policy allows an action; prints Yes or No, exit code 1 for No',
    ["can role:dev sync applications 'shop/*' --policy-file policy.csv", 'can kim create projects --namespace argocd'],
  ).option('--default-role <role>', 'default role of all users');
  toggle(made, '--use-builtin-policy', 'include role:admin and role:readonly (default true)');
  toggle(made, '--strict', 'reject unknown actions and resources (default true)');
  toggle(made, '-q, --quiet', 'print nothing, use only the exit code');
  made.action(
    async (subject: string, action: string, resource: string, object: string | undefined, flags: CanFlags) => {
      const { isAllowed, why } = await (await import('./rbac.js')).can(
        [subject, action, resource, object],
        flags,
        host,
      );
      if (flags.quiet !== true) {
        host.stdout.write(isAllowed ? 'Yes\n' : 'No\n');
        host.stderr.write(`${why}\n`);
      }
      if (!isAllowed) exit(1);
    },
  );
  verb('validate', 'validate a policy; exit code 1 if it is invalid', [
    'validate --policy-file policy.csv',
    'validate --namespace argocd',
  ]).action(async (flags: RbacFlags) => {
    const problem = await (await import('./rbac.js')).validateRbac(flags, host);
    host.stdout.write(problem === '' ? 'Policy is valid.\n' : `Policy is invalid: ${problem}\n`);
    if (problem !== '') exit(1);
  });
}
