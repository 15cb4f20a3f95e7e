import { Option, type Command } from 'commander';
import type { CheckFlags } from './run.js';
import type { ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `argosy check`: the checklist of the guide, for an application, for files, or for all. */
export function addCheck(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('check [target]')
    .description(
      'go through the GitOps checklist: for an application of the cluster (NAME or NAMESPACE/NAME), for the ' +
        'Applications in a folder or file, or for all; reads only',
    )
    .option('--all', 'all applications of the cluster')
    .option('--branch <name>', 'a branch that production may follow; may be repeated (default main)', collect)
    .option('--production <selector>', 'only applications with these labels are production (default all)')
    .option(
      '--docs <path>',
      'where your own ignore rules are explained, a file or a folder; for a folder of a repository its docs ' +
        'unless told; may be repeated',
      collect,
    )
    .option('--strict', 'advice, and what could not be checked, count as failed too')
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .option(
      '--namespace <namespace>',
      'the namespace of the control plane',
      host.environment['ARGOSY_NAMESPACE'] ?? 'argocd',
    )
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nThe exit code is 0 where everything holds or is accepted, 1 where something fails, 20 where it ' +
        'could not be checked at all.\nA target that is a file or folder is one; otherwise it is the name of ' +
        'an application.\n\nExamples:\n  argosy check shop\n  argosy check gitops/argocd/applications\n  ' +
        'argosy check --all --production stage=production --branch main -o json',
    )
    .action(async (target: string | undefined, flags: CheckFlags) => {
      const { runCheck } = await import('./run.js');
      exit(await runCheck(target, flags, host));
    });
}
