import { Command, CommanderError } from 'commander';
import { Fault } from '../model/index.js';
import type { CliWorld } from './cli-world.js';
import { addApiserver, addUp } from './server-commands.js';

/** Argo CD's exit code for every failure; 0, 1 and 2 keep their meaning in `diff` and `triage`. */
const FAILED = 20;

export async function runCli(argv: readonly string[], world: CliWorld): Promise<number> {
  const program = new Command('argosy')
    .description('GitOps delivery that is compatible with Argo CD and explains itself')
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.stdout.write(text), writeErr: () => undefined });
  try {
    // Inside: a bad value in the environment is told like a bad flag.
    addUp(program, world);
    addApiserver(program, world);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error, world);
  }
}

/** One sentence: what happened, where, and what to do. */
function explain(error: unknown, world: CliWorld): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    world.stderr.write(`argosy: ${error.message.replace(/^error: /, '').replace(/\.$/, '')}. See argosy --help\n`);
    return FAILED;
  }
  if (error instanceof Fault) {
    const where = error.where === '' ? '' : ` (${error.where})`;
    world.stderr.write(`argosy: ${error.message}${where}. ${sentence(error.hint)}\n`);
    return FAILED;
  }
  world.stderr.write(`argosy: ${error instanceof Error ? error.message : String(error)}. This is a defect of Argosy; please report it\n`);
  return FAILED;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
