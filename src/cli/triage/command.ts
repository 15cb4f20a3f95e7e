import { InvalidArgumentError, Option, type Command } from 'commander';
import { collect, type ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { TriageFlags } from './run.js';

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 86_400)) throw new InvalidArgumentError('It is a number of seconds, 1 to 86400.');
  return value;
}

/** `argosy triage`: the few causes behind all that is wrong, from a cluster or from files. */
export function addTriage(program: Command, host: CliHost, { exit }: ExitStatus): void {
  program
    .command('triage')
    .description('find the root causes of unhealthy and out-of-sync applications; read-only by default')
    .option(
      '-f, --filename <path>',
      'analyze dumps instead of a cluster: kubectl lists (JSON or YAML), a support bundle, a must-gather; may ' +
        'be repeated',
      collect,
    )
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option(
      '--prometheus <url>',
      'ask this Prometheus for throttling, latency, packet loss, saturation and alerts; read-only, at most 10 seconds',
    )
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['text', 'md', 'json', 'sarif', 'html'])
        .default('text'),
    )
    .option('--previous <report>', 'an earlier report (-o json): strike resolved causes and mark new ones')
    .option('--watch', 'check repeatedly and print only changes, until stopped')
    .option('--interval <seconds>', 'seconds between checks', seconds, 30)
    .option('--repo <dir>', 'a local clone of a source repository, or URL=DIR; may be repeated', collect)
    .option(
      '--fix <dir>',
      'write patches for git, verified by rendering before and after, and steps for everything else',
    )
    .option('--branch <name>', 'commit the patches to a new branch of the clone; nothing is pushed')
    .option('--apply', 'apply fixes that are not in git to the cluster, one by one, after a dry run and confirmation')
    .option('-y, --yes', 'with --apply: do not prompt for confirmation')
    .addHelpText(
      'after',
      '\nExit code 2 if there is a P0 cause, 1 if there is any other cause above a note, otherwise 0.\n\n' +
        'Examples:\n  argosy triage\n  argosy triage -f dump.json -f events.json -o md\n  argosy triage -o md ' +
        '--previous yesterday.json\n  argosy triage --repo ../gitops --fix ./fixes --branch repair\n  argosy ' +
        'triage --watch\n  argosy triage -f must-gather.local/ -o json',
    )
    .action(async (flags: TriageFlags) => {
      const { runTriage } = await import('./run.js');
      exit(await runTriage(flags, host));
    });
}
