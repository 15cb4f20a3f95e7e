import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AddCommand } from '../command/index.js';
import { count } from '../command/index.js';
import { auditFile } from '../controller/index.js';
import type { CliHost } from '../host/index.js';
import type { ShowFlags } from './show.js';
import type { VerifyFlags } from './verify.js';

interface PlaceFlags {
  readonly data?: string;
}

/** `argosy audit ...`: the record of what was changed and refused. */
export const addAudit: AddCommand = (program, host, { exit }) => {
  const group = program.command('audit').description('verify and show the audit log');
  withPlace(group.command('verify [file]'), host)
    .description('check that no line of the audit log is missing, changed or out of place')
    .option('--audit-key <file>', 'the key of the log', host.environment['ARGOSY_AUDIT_KEY'])
    .option('--expect <line:hash>', 'a line that must still be there, as an earlier run printed it')
    .option('-o, --output <format>', 'output format: json')
    .addHelpText(
      'after',
      '\nA file is checked with its rotated files; - reads what was collected of standard output.\n' +
        'Exit code 0 if all is there, 1 if not, 20 if it cannot be read.\n' +
        '\nExample:\n  argosy audit verify ~/.argosy/audit/audit.jsonl',
    )
    .action(async (file: string | undefined, flags: PlaceFlags & VerifyFlags) => {
      const { verify } = await import('./verify.js');
      if (!(await verify(placeOf(file, flags), flags, host))) exit(1);
    });
  withPlace(group.command('show [file]'), host)
    .description('print lines of the audit log, the newest last')
    .option('--user <name>', 'lines of this user')
    .option('--object <text>', 'lines whose object contains this')
    .option('--project <name>', 'lines of this project')
    .option('--verb <verb>', 'lines with this verb, such as sync')
    .option('--since <time>', 'lines since a time, or in the last 1h')
    .option('--refused', 'refusals alone')
    .option('--limit <number>', 'lines at most (default 100)', count)
    .option('-o, --output <format>', 'output format: json')
    .addHelpText('after', '\nExample:\n  argosy audit show --refused --since 24h')
    .action(async (file: string | undefined, flags: PlaceFlags & ShowFlags) => {
      const { show } = await import('./show.js');
      host.stdout.write(await show(placeOf(file, flags), flags, host.now()));
    });
};

function withPlace(command: Command, { environment }: CliHost): Command {
  return command.option('--data <directory>', 'data directory (default ~/.argosy)', environment['ARGOSY_DATA']);
}

function placeOf(file: string | undefined, { data }: PlaceFlags): string {
  return file ?? auditFile(resolve(data ?? join(homedir(), '.argosy')));
}
