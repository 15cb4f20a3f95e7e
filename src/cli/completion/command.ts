import { Argument, type Command } from 'commander';
import type { CliHost } from '../host/index.js';

/** `argosy completion SHELL`: a script for the shell, which asks argosy for what may come next. */
export function addCompletion(program: Command, host: CliHost): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy completion bash > /etc/bash_completion.d/argosy\n  argosy completion zsh > ' +
        '"${fpath[1]}/_argosy"\n  argosy completion fish > ~/.config/fish/completions/argosy.fish',
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { SCRIPTS } = await import('./scripts.js');
      host.stdout.write(SCRIPTS[shell]);
    });
}

/**
 * The word that scripts of shells begin with; what follows is a line that is being typed, and no command of its own.
 */
export const COMPLETE = '__complete';

export async function printCompletions(program: Command, words: readonly string[], host: CliHost): Promise<void> {
  const { complete } = await import('./complete.js');
  host.stdout.write((await complete(program, words, host)).map((word) => `${word}\n`).join(''));
}
