import { Option, type Command } from 'commander';
import { collect, remedyFor, type ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { DriftFlags } from './run.js';

/** `argosy drift`: whose each difference is, and the smallest change that settles it. */
export function addDrift(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('drift [app]')
    .description('show who owns each difference between git and cluster, and how to resolve it; read-only')
    .option('--all', 'all applications of the cluster')
    .option('--fix <dir>', 'write ignore rules and patches to this folder')
    .option('--repo <dir>', 'a local clone of a source repository, or URL=DIR; may be repeated', collect)
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .option(
      '--namespace <namespace>',
      'the namespace of the control plane (default: ARGOSY_NAMESPACE, that of the running instance, argocd)',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'md', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExit code 1 if an application differs from git or cannot be compared, otherwise 0.\n\n' +
        'Examples:\n  argosy drift shop\n  argosy drift --all -o md\n  argosy drift --all --repo ../gitops ' +
        '--fix ./fixes',
    )
    .action(async (app: string | undefined, flags: DriftFlags) => {
      const { runDrift } = await import('./run.js');
      exit(await runDrift(app, flags, host, (hint) => remedyFor(hint, program, ['drift'])));
    });
}
