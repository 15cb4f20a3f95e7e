import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { OpenAudit } from '../../audit/index.js';
import type { Logger } from '../../model/logging/index.js';
import { count } from '../command/index.js';
import type { CliHost } from '../host/index.js';

const MEGABYTE = 1024 * 1024;
const MAX_SIZE = 64;
const MAX_BACKUPS = 16;

/** What every command that changes or refuses something for others asks about its record of that. */
export interface AuditFlags {
  readonly auditLog?: string;
  readonly auditKey?: string;
  readonly auditLogMaxsize?: number;
  readonly auditLogMaxbackup?: number;
}

export function withAuditFlags(command: Command, { environment }: CliHost, place = 'DATA/audit/audit.jsonl'): Command {
  return command
    .option(
      '--audit-log <file>',
      `file that records what is changed and refused, - for standard output (default ${place})`,
      environment['ARGOSY_AUDIT_LOG'],
    )
    .option(
      '--audit-key <file>',
      'file with a key: only who has it can rewrite the audit log unnoticed',
      environment['ARGOSY_AUDIT_KEY'],
    )
    .option('--audit-log-maxsize <megabytes>', `size at which the audit log is rotated (default ${MAX_SIZE})`, count)
    .option('--audit-log-maxbackup <number>', `rotated files to keep, 0 for all (default ${MAX_BACKUPS})`, count);
}

/** The file that `up` and `controller` write, and that `argosy audit` reads, without a flag. */
export function auditFile(data: string): string {
  return join(data, 'audit', 'audit.jsonl');
}

/** Opens the log for as long as the work takes. */
export async function withAudit<T>(
  flags: AuditFlags,
  { host, data, log }: { readonly host: CliHost; readonly data: string; readonly log: Logger },
  act: (audit: OpenAudit) => Promise<T>,
): Promise<T> {
  const [{ openAuditLog }, { systemClock }] = await Promise.all([
    import('../../audit/index.js'),
    import('../../cluster/index.js'),
  ]);
  const { auditLog = auditFile(data), auditKey, auditLogMaxsize = MAX_SIZE, auditLogMaxbackup = MAX_BACKUPS } = flags;
  const audit = await openAuditLog({
    file: auditLog === '-' ? '-' : resolve(auditLog),
    keyFile: auditKey,
    maxBytes: auditLogMaxsize * MEGABYTE,
    maxBackups: auditLogMaxbackup,
    clock: systemClock,
    log: log.child({ room: 'audit' }),
    write: (text) => host.stdout.write(text),
  });
  try {
    return await act(audit);
  } finally {
    await audit.close();
  }
}
