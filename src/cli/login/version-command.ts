import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import type { VersionFlags } from './version.js';

/** `argosy version`: what runs here, and what the server of the last login runs. */
export function addVersion(program: Command, host: CliHost): void {
  program
    .command('version')
    .description('print the version of this program, and of the server that one is logged in to')
    .option('--client', 'this program only')
    .option('--short', 'the numbers only')
    .option('--server <context>', 'the server or context to ask; the one of the last login unless told')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['wide', 'json', 'yaml']).default('wide'))
    .addHelpText('after', '\nExamples:\n  argosy version\n  argosy version --client -o json')
    .action(async (flags: VersionFlags) => {
      const { formatVersion } = await import('./version.js');
      host.stdout.write(await formatVersion(flags, host));
    });
}
