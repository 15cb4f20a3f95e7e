import { isObject, objectIn, own, type JsonObject } from '../model/json/index.js';

/** What is recorded: who, from where, did what to what, how it was decided and what came of it. */
export interface AuditEntry {
  readonly source: 'api' | 'terminal' | 'controller';
  /** The name that policies know; empty for nobody. */
  readonly user: string;
  /** Of the connection. */
  readonly address?: string | undefined;
  /** Where the request says that it came from before the last proxy; nobody checks it. */
  readonly forwarded?: string | undefined;
  /** The program that asked, such as `argosy-cli` or `page`. */
  readonly client?: string | undefined;
  /** The action of RBAC, such as `sync`, or the act of a controller. */
  readonly verb: string;
  /** The resource of RBAC, or the kind that a controller acts on. */
  readonly resource?: string | undefined;
  /** As RBAC names it, such as `shop/web`. */
  readonly object?: string | undefined;
  readonly project?: string | undefined;
  /** The live object that it ends on, such as `apps/Deployment shop/web`, or a pod and its container. */
  readonly target?: string | undefined;
  readonly decision: 'allowed' | 'refused';
  /** Of a repository. */
  readonly revision?: string | undefined;
  readonly result: string;
  /** Of HTTP. */
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  readonly automated?: boolean | undefined;
  /** Objects that a sync deleted. */
  readonly pruned?: readonly string[] | undefined;
  /** The row of the route table. */
  readonly route?: string | undefined;
  /** The `X-Request-Id` of the answer. */
  readonly request?: string | undefined;
}

/** What the log says of itself. */
export interface OwnEntry {
  readonly source: 'audit';
  readonly verb: 'start' | 'stop' | 'rotate' | 'remove' | 'repair' | 'gap';
  readonly object?: string | undefined;
  readonly result: string;
  readonly message?: string | undefined;
  /** The key that the log is chained with. */
  readonly key?: string | undefined;
  /** The last line of a file that is removed. */
  readonly through?: number | undefined;
  /** The bytes before this line that are no whole lines. */
  readonly torn?: { readonly bytes: number; readonly hash: string } | undefined;
}

/** Several lines in one. */
export interface Counted {
  readonly count?: number | undefined;
  /** The time of the first of them. */
  readonly since?: string | undefined;
}

export type Entry = (AuditEntry | OwnEntry) & Counted;

/** A line of the log, as far as readers need it. */
export interface AuditRecord extends Partial<Omit<AuditEntry, 'source'>>, Counted {
  readonly seq: number;
  /** RFC 3339 with milliseconds, in UTC. */
  readonly time: string;
  readonly source: AuditEntry['source'] | 'audit';
  /** The hash of the line before. */
  readonly prev: string;
}

/** UTF-16 units. */
const MAX_TEXT = 400;
const MAX_MESSAGE = 1000;
const MAX_PRUNED = 50;
/** Longer addresses are nobody's. */
const MAX_READ = 4000;

/** Where a line is in the chain. */
export interface Position {
  readonly seq: number;
  readonly prev: string;
  readonly time: string;
}

/** One line without its end. `seq` and `time` come first and `prev` last. */
export function formatRecord(entry: Entry, { seq, time, prev }: Position): string {
  const fields = Object.entries(entry).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === '') return name === 'user' ? [[name, '']] : [];
    if (name === 'pruned' && Array.isArray(value))
      return [[name, value.slice(0, MAX_PRUNED).map((each) => clean(each))]];
    return [[name, typeof value === 'string' ? clean(value, name === 'message' ? MAX_MESSAGE : MAX_TEXT) : value]];
  });
  return JSON.stringify({ seq, time, ...Object.fromEntries(fields), prev });
}

function clean(value: unknown, most = MAX_TEXT): string {
  const text = String(value);
  // Cut anywhere, an address might show a password.
  if (text.length > MAX_READ && text.includes('://')) return '(a long address)';
  const masked = text.includes('://') ? text.split(' ').map(withoutSecrets).join(' ') : text;
  return masked.length > most ? `${masked.slice(0, most - 1)}…` : masked;
}

/** Addresses may carry a password before the host, or a token in the query. */
function withoutSecrets(word: string): string {
  const scheme = word.indexOf('://');
  if (scheme < 0) return word;
  const host = scheme + 3;
  const at = word.lastIndexOf('@');
  const masked = at < host ? word : `${word.slice(0, host)}***${word.slice(at)}`;
  const query = masked.search(/[?#]/);
  return query < 0 ? masked : `${masked.slice(0, query)}?***`;
}

/** Undefined for what is no line of an audit log. */
export function parseRecord(line: string): (AuditRecord & JsonObject) | undefined {
  const value = objectIn(line);
  const { seq, prev, time, source } = value;
  const isRecord =
    typeof seq === 'number' &&
    Number.isSafeInteger(seq) &&
    typeof prev === 'string' &&
    typeof time === 'string' &&
    typeof source === 'string';
  return isRecord ? (value as unknown as AuditRecord & JsonObject) : undefined;
}

/** What a `repair` says of the bytes before it. */
export function tornOf(record: JsonObject): OwnEntry['torn'] {
  const torn = own(record, 'torn');
  if (record.source !== 'audit' || record.verb !== 'repair' || !isObject(torn)) return undefined;
  const { bytes, hash } = torn;
  return typeof bytes === 'number' && typeof hash === 'string' ? { bytes, hash } : undefined;
}
