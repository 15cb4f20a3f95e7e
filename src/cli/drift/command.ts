import { Option, type Command } from 'commander';
import type { ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { DriftFlags } from './run.js';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `argosy drift`: whose each difference is, and the smallest change that settles it. */
export function addDrift(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('drift [app]')
    .description('say of each difference between git and cluster whose it is and what settles it; reads only')
    .option('--all', 'all applications of the cluster')
    .option('--fix <dir>', 'write the rules and patches')
    .option('--repo <dir>', 'a clone of a repository that applications come from, or URL=DIR; may be repeated', collect)
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .option(
      '--namespace <namespace>',
      'the namespace of the control plane',
      host.environment['ARGOSY_NAMESPACE'] ?? 'argocd',
    )
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'md', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nThe exit code is 1 where an application differs from git or cannot be compared, 0 otherwise.\n\n' +
        'Examples:\n  argosy drift shop\n  argosy drift --all -o md\n  argosy drift --all --repo ../gitops ' +
        '--fix ./fixes',
    )
    .action(async (app: string | undefined, flags: DriftFlags) => {
      const { runDrift } = await import('./run.js');
      exit(await runDrift(app, flags, host));
    });
}
