import { Option, type Command } from 'commander';
import type { CliWorld } from './cli-world.js';
import type { TriageFlags } from './triage/run.js';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `argosy triage`: the few causes behind all that is wrong, from a cluster or from files. */
export function addTriage(program: Command, world: CliWorld, exit: (code: number) => void): void {
  program.command('triage')
    .description('find the causes behind applications and workloads that are not well; reads only')
    .option('-f, --filename <path>', 'dumps instead of a cluster: lists of kubectl as JSON or YAML, a support bundle, a must-gather folder; may be repeated', collect)
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'md', 'json', 'sarif']).default('text'))
    .addHelpText('after', '\nThe exit code is 2 where a cause is a P0, 1 where there is any other than a note, 0 otherwise.\n\nExamples:\n  argosy triage\n  argosy triage -f dump.json -f events.json -o md\n  argosy triage -f must-gather.local/ -o json')
    .action(async (flags: TriageFlags) => {
      const { runTriage } = await import('./triage/run.js');
      exit(await runTriage(flags, world));
    });
}
