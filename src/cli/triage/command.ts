import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { TriageFlags } from './run.js';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 86_400)) throw new InvalidArgumentError('It is a number of seconds, 1 to 86400.');
  return value;
}

/** `argosy triage`: the few causes behind all that is wrong, from a cluster or from files. */
export function addTriage(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('triage')
    .description(
      'find the causes behind applications and workloads that are not well; reads only, unless asked to repair',
    )
    .option(
      '-f, --filename <path>',
      'dumps instead of a cluster: lists of kubectl as JSON or YAML, a support bundle, a must-gather ' +
        'folder; may be repeated',
      collect,
    )
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['text', 'md', 'json', 'sarif', 'html'])
        .default('text'),
    )
    .option(
      '--previous <report>',
      'an earlier report (-o json): what is resolved is struck with what changed, what is new is marked',
    )
    .option('--watch', 'look again and again, and print only what changed, until stopped')
    .option('--interval <seconds>', 'how long to wait between two looks', seconds, 30)
    .option('--repo <dir>', 'a clone of a repository that applications come from, or URL=DIR; may be repeated', collect)
    .option(
      '--fix <dir>',
      'write patches for git, proved by rendering before and after, and the steps for everything else',
    )
    .option('--branch <name>', 'commit the patches to a new branch of the clone; nothing is pushed')
    .option(
      '--apply',
      'repair what git does not say in the cluster, one by one: tried on the server first, done after a yes',
    )
    .addHelpText(
      'after',
      '\nThe exit code is 2 where a cause is a P0, 1 where there is any other than a note, 0 otherwise.\n\n' +
        'Examples:\n  argosy triage\n  argosy triage -f dump.json -f events.json -o md\n  argosy triage -o md ' +
        '--previous yesterday.json\n  argosy triage --repo ../gitops --fix ./fixes --branch repair\n  argosy ' +
        'triage --watch\n  argosy triage -f must-gather.local/ -o json',
    )
    .action(async (flags: TriageFlags) => {
      const { runTriage } = await import('./run.js');
      exit(await runTriage(flags, host));
    });
}
