import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import type { VersionFlags } from './version.js';

/** `argosy version`: what runs here, and what the server of the last login runs. */
export function addVersion(program: Command, host: CliHost): void {
  program
    .command('version')
    .description('print the version of the client, and of the server after login')
    .option('--client', 'print only the client version')
    .option('--short', 'print only revision numbers')
    .option('--server <context>', 'server or context; that of the last login by default')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['wide', 'json', 'yaml']).default('wide'))
    .addHelpText('after', '\nExamples:\n  argosy version\n  argosy version --client -o json')
    .action(async (flags: VersionFlags) => {
      const { formatVersion } = await import('./version.js');
      host.stdout.write(await formatVersion(flags, host));
    });
}
