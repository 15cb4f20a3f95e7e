import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from '../model/logging/index.js';
import { lockDirectory } from '../net/directory-lock/index.js';
import { AuditLog, type Audit } from './audit-log.js';
import type { AuditClock } from './clock.js';
import { readLineHash, type LineHash } from './line-hash.js';
import type { RotationOptions } from './log-file.js';
import { unusableFile } from './unusable-file.js';

export interface OpenAuditOptions extends RotationOptions {
  /** `-` for standard output. */
  readonly file: string;
  readonly keyFile: string | undefined;
  readonly clock: AuditClock;
  readonly log: Logger;
  readonly write: (text: string) => unknown;
}

export interface OpenAudit extends Audit {
  close(): Promise<void>;
}

/** Opens a log that no other process writes. */
export async function openAuditLog(options: OpenAuditOptions): Promise<OpenAudit> {
  const lineHash = await readLineHash(options.keyFile);
  if (options.file === '-') return AuditLog.openStream(options.write, { ...options, lineHash });
  const file = resolve(options.file);
  return openFile(file, { ...options, lineHash }).catch((error: unknown) => {
    throw unusableFile('the audit log cannot be written', file, '--audit-log', error);
  });
}

async function openFile(
  file: string,
  { clock, log, maxBytes, maxBackups, lineHash }: OpenAuditOptions & { readonly lineHash: LineHash },
): Promise<OpenAudit> {
  // Several logs may be in one directory.
  await mkdir(`${file}.lock`, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(`${file}.lock`);
  try {
    const audit = await AuditLog.openFile(file, { maxBytes, maxBackups }, { clock, log, lineHash });
    return {
      isOn: true,
      record: (entry) => audit.record(entry),
      find: (query) => audit.find(query),
      get counts() {
        return audit.counts;
      },
      close: async () => {
        try {
          await audit.close();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
