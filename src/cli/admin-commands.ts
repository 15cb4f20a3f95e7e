import type { Command } from 'commander';
import type { SettingsFlags } from './admin/settings.js';
import type { CliWorld } from './cli-world.js';
import { collect } from './session-group.js';

const load = (): Promise<typeof import('./admin/settings.js')> => import('./admin/settings.js');

/** `argosy admin settings ...`: settings tried out before they are used, as `argocd admin settings` does it. */
export function addAdmin(program: Command, world: CliWorld, exit: (code: number) => void): void {
  const settings = program.command('admin').description('tools for whoever runs the control plane').command('settings').description('try settings before they are used');
  const verb = (parent: Command, path: string, words: string, about: string, example: string): Command => parent.command(words).description(about)
    .option('--argocd-cm-path <file>', 'a file with argocd-cm').option('--load-cluster-settings', 'argocd-cm of the cluster instead')
    .option('--kubeconfig <file>', 'the kubeconfig to use').option('--context <name>', 'the context to use').option('-n, --namespace <namespace>', 'the namespace of the control plane')
    .addHelpText('after', `\nExample:\n  argosy admin settings ${path}${example}`);
  verb(settings, '', 'validate', 'check settings; exit 1 where something is wrong', 'validate --argocd-cm-path argocd-cm.yaml').option('--group <group>', 'only accounts, general, kustomize or resource-overrides; may be repeated', collect)
    .action(async (flags: SettingsFlags & { readonly group?: readonly string[] }) => {
      const { text, isValid } = await (await load()).validate(flags.group ?? [], flags, world);
      world.stdout.write(text);
      if (!isValid) exit(1);
    });
  const overrides = settings.command('resource-overrides').description('what argocd-cm says of kinds');
  const inner = (words: string, about: string, example: string): Command => verb(overrides, 'resource-overrides ', words, about, example);
  inner('health <file>', 'how healthy an object is', 'health deployment.yaml --argocd-cm-path argocd-cm.yaml')
    .action(async (file: string, flags: SettingsFlags) => { world.stdout.write(await (await load()).overrideHealth(file, flags, world)); });
  inner('list-actions <file>', 'what can be done with an object', 'list-actions deployment.yaml --load-cluster-settings')
    .action(async (file: string, flags: SettingsFlags) => { world.stdout.write(await (await load()).listOverrideActions(file, flags, world)); });
  inner('run-action <file> <action>', 'what an action would change', 'run-action deployment.yaml restart --argocd-cm-path argocd-cm.yaml').alias('action').option('--param <name=value>', 'a parameter; may be repeated', collect)
    .action(async (file: string, action: string, flags: SettingsFlags & { readonly param?: readonly string[] }) => {
      const { splitPair } = await import('./app/text-values.js');
      const parameters = Object.fromEntries((flags.param ?? []).map((text) => splitPair(text, '--param')).map(({ name, value }) => [name, value]));
      world.stdout.write(await (await load()).runOverrideAction(file, action, parameters, flags, world));
    });
}
