import { setImmediate } from 'node:timers/promises';
import { logFiles, readLinesBackwards } from './files.js';
import { parseRecord, type AuditRecord } from './record.js';

/** All that is given must hold. */
export interface AuditQuery {
  readonly user?: string | undefined;
  /** A part of the object or of the live object, in any case. */
  readonly object?: string | undefined;
  readonly project?: string | undefined;
  readonly verb?: string | undefined;
  readonly isRefused?: boolean | undefined;
  /** Lines from this time on. */
  readonly since?: Date | undefined;
  /** Lines before this one. */
  readonly before?: number | undefined;
  /** Lines that are given at most. */
  readonly limit: number;
}

export interface AuditPage {
  /** The newest first. */
  readonly records: readonly AuditRecord[];
  /** The line that older ones are before, if there may be more. */
  readonly next?: number;
}

/** Lines that are read for one answer; where nothing fits the next question goes on behind them. */
const MAX_READ = 20_000;

/** The newest lines that a query asks for. */
export async function findRecords(file: string, query: AuditQuery): Promise<AuditPage> {
  const { since, before = Infinity, limit } = query;
  const records: AuditRecord[] = [];
  let read = 0;
  for (const each of (await logFiles(file)).reverse()) {
    for await (const lines of readLinesBackwards(each)) {
      for (const line of lines) {
        const record = parseRecord(line);
        if (record === undefined || record.seq >= before) continue;
        if (since !== undefined && record.time < since.toISOString() && record.since === undefined) return { records };
        if (isMatch(record, query)) records.push(record);
        read++;
        if (records.length >= limit || read >= MAX_READ) return { records, next: record.seq };
      }
      // Other requests get their turn.
      await setImmediate();
    }
  }
  return { records };
}

function isMatch(record: AuditRecord, { user, object, project, verb, isRefused, since }: AuditQuery): boolean {
  return (
    (user === undefined || record.user === user) &&
    (project === undefined || record.project === project) &&
    (verb === undefined || record.verb === verb) &&
    (object === undefined || contains(record.object, object) || contains(record.target, object)) &&
    (isRefused !== true || record.decision === 'refused') &&
    (since === undefined || record.time >= since.toISOString())
  );
}

function contains(text: string | undefined, part: string): boolean {
  return text !== undefined && text.toLowerCase().includes(part.toLowerCase());
}
