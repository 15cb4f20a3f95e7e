import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import { withValuesFlags, type ExitStatus } from '../command/index.js';
import type { ValuesCommandFlags } from './values.js';

/** `argosy values`: the values that templates of a chart see, and who set them. */
export function addValues(program: Command, host: CliHost, { exit: setExitCode }: ExitStatus): void {
  withValuesFlags(program.command('values <path> [key]'))
    .description('print the effective values of a chart with the file and line that set each, and overridden ones')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy values charts/web -f globals.yaml -f web.yaml\n  argosy values charts/web -f ' +
        'globals.yaml -f web.yaml tolerations\n\nEnds with 1 where KEY is not set.',
    )
    .action(async (path: string, key: string | undefined, flags: ValuesCommandFlags) => {
      const { printValues } = await import('./values.js');
      const { text, warnings, isFound } = await printValues(path, key, flags);
      for (const warning of warnings) host.stderr.write(`warning: ${warning}\n`);
      host.stdout.write(text);
      if (!isFound) setExitCode(1);
    });
}
