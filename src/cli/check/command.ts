import { Option, type Command } from 'commander';
import type { CheckFlags } from './run.js';
import { collect, type ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';

/** `argosy check`: the checklist of the guide, for an application, for files, or for all. */
export function addCheck(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('check [target]')
    .description(
      'run the GitOps checklist for an application (NAME or NAMESPACE/NAME), for Applications in a file or ' +
        'folder, or for all; read-only',
    )
    .option('--all', 'all applications of the cluster')
    .option('--branch <name>', 'a branch that production may track; may be repeated (default main)', collect)
    .option('--production <selector>', 'labels of production applications (default all)')
    .option(
      '--docs <path>',
      'file or folder that explains your ignore rules; by default the docs folder of the repository; may be repeated',
      collect,
    )
    .option('--strict', 'treat advice and unchecked rules as failures')
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .option(
      '--namespace <namespace>',
      'the namespace of the control plane (default: ARGOSY_NAMESPACE, that of the running instance, argocd)',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExit code 0 if every rule passes or is accepted, 1 if a rule fails, 20 if nothing could be checked.\n' +
        'The target is a file or folder if one exists by that name, otherwise the name of an application.\n\n' +
        'Examples:\n  argosy check shop\n  argosy check gitops/argocd/applications\n  ' +
        'argosy check --all --production stage=production --branch main -o json',
    )
    .action(async (target: string | undefined, flags: CheckFlags) => {
      const { runCheck } = await import('./run.js');
      exit(await runCheck(target, flags, host));
    });
}
