import { existsSync } from 'node:fs';
import { findRecords, readSince, type AuditRecord } from '../../audit/index.js';
import { Fault } from '../../model/faults/index.js';
import { formatTable } from '../output/index.js';

export interface ShowFlags {
  readonly user?: string;
  readonly object?: string;
  readonly project?: string;
  readonly verb?: string;
  readonly since?: string;
  readonly refused?: boolean;
  readonly limit?: number;
  readonly output?: string;
}

const DEFAULT_LINES = 100;
const HEADER = ['TIME', 'USER', 'FROM', 'VERB', 'OBJECT', 'DECISION', 'RESULT', 'DETAIL'];

/** The newest lines that fit, in the order of their time. */
export async function show(file: string, flags: ShowFlags, now: number): Promise<string> {
  if (!existsSync(file)) throw new Fault('FILE_UNREADABLE', 'there is no audit log', { where: file });
  const { user, object, project, verb, since, refused, limit = DEFAULT_LINES } = flags;
  const query = {
    user,
    object,
    project,
    verb,
    isRefused: refused,
    since: since === undefined ? undefined : readSince(since, new Date(now)),
  };
  const records: AuditRecord[] = [];
  // One page ends after so many lines, whether or not they fit.
  for (let before: number | undefined; records.length < limit; ) {
    const page = await findRecords(file, { ...query, before, limit: limit - records.length });
    records.push(...page.records);
    if (page.next === undefined) break;
    before = page.next;
  }
  records.reverse();
  return flags.output === 'json' ? `${JSON.stringify(records, null, 2)}\n` : formatTable(HEADER, records.map(rowOf));
}

function rowOf(record: AuditRecord): string[] {
  const {
    time,
    user = '',
    address = '',
    client = '',
    verb = '',
    resource = '',
    object = '',
    target,
    decision = '',
  } = record;
  const { result = '', status, count = 1, revision, message, pruned = [] } = record;
  const details = [
    target,
    revision,
    message,
    pruned.length === 0 ? undefined : `pruned ${pruned.join(', ')}`,
    count > 1 ? `${count} times` : undefined,
  ];
  return [
    time,
    record.source === 'audit' ? '(audit log)' : user || '-',
    [address, client].filter((part) => part !== '').join(' ') || record.source,
    verb,
    [resource, object].filter((part) => part !== '').join(' ') || '-',
    decision || '-',
    status === undefined ? result : `${result} ${status}`,
    details.filter((part) => part !== undefined && part !== '').join('; ') || '-',
  ];
}
