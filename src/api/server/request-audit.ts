import type { IncomingMessage } from 'node:http';
import type { Audit, AuditEntry } from '../../audit/index.js';
import { PROJECT_SCOPED } from '../../model/rbac/index.js';
import type { Subject } from '../access/index.js';
import { apiErrorOf, type Answer } from '../http/index.js';
import type { AuditNote, Input, Match, Route } from '../route/index.js';

/** A decision about a right. */
interface Check {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** What programs call themselves in front of their version; everything else is a browser or unknown. */
const CLIENT = /^([A-Za-z][\w.-]{0,63})\//;

/**
 * What one request comes to: filled on its way through the dispatcher and recorded before it is answered, if it changed
 * something or was refused. Bodies are never kept, only the few names in them that say what was meant.
 */
export class RequestAudit {
  #subject: Pick<Subject, 'name'> | undefined;
  #match: Match | undefined;
  #input: Input | undefined;
  #allowed: Check | undefined;
  #refused: Check | undefined;
  #note: AuditNote = {};
  #isRecorded = false;

  constructor(
    private readonly audit: Audit,
    private readonly request: Pick<IncomingMessage, 'method' | 'headers'>,
    private readonly known: {
      /** Of the answer. */
      readonly id: string;
      /** Of the client. */
      readonly address: string;
    },
  ) {}

  matched(match: Match): void {
    this.#match = match;
  }

  identified(subject: Pick<Subject, 'name'>): void {
    this.#subject = subject;
  }

  /** The request as its shapes read it. */
  read(input: Input): void {
    this.#input = input;
  }

  /** The last one counts: a handler checks what its route could not know. */
  decided(isAllowed: boolean, resource: string, action: string, object: string): void {
    const check = { resource, action, object };
    if (isAllowed) this.#allowed = check;
    else this.#refused = check;
  }

  /** What only the handler knows. */
  note(note: AuditNote): void {
    this.#note = { ...this.#note, ...note };
  }

  /** For an answer; undefined where nothing is recorded. */
  answered(answer: Answer): Promise<void> | undefined {
    if (!this.#changes || this.#isRecorded) return undefined;
    this.#isRecorded = true;
    const status = 'status' in answer ? (answer.status ?? 200) : 200;
    return this.audit.record(this.#entry(false, { result: 'ok', status }));
  }

  /** For an error; a client that asked for nothing that changes anything, and was not refused, is nobody's concern. */
  failed(error: unknown): Promise<void> | undefined {
    const known = apiErrorOf(error);
    const isRefused = known?.isRefusal === true;
    if ((!isRefused && !this.#changes) || this.#isRecorded) return undefined;
    this.#isRecorded = true;
    return this.audit.record(
      this.#entry(isRefused, {
        result: known?.code ?? 'Internal',
        status: known?.status ?? 500,
        // Of others it may quote the body.
        message: isRefused ? known.message : undefined,
      }),
    );
  }

  /** Something that happens after the answer, such as the end of a terminal. */
  later(verb: string, message: string): void {
    void this.audit.record({ ...this.#entry(false, { result: 'ok', message }), verb });
  }

  get #changes(): boolean {
    return this.#match?.route.changes === true;
  }

  #entry(isRefused: boolean, outcome: Pick<AuditEntry, 'result' | 'status' | 'message'>): AuditEntry {
    const { headers } = this.request;
    const forwarded = headers['x-forwarded-for'];
    const [, program] = CLIENT.exec(headers['user-agent'] ?? '') ?? [];
    const check = (isRefused ? this.#refused : undefined) ?? this.#allowed ?? this.#declared();
    const { resource, object } = check;
    return {
      source: this.#match?.route.streams === true && this.#changes ? 'terminal' : 'api',
      user: this.#subject?.name ?? '',
      address: this.known.address,
      forwarded: Array.isArray(forwarded) ? forwarded.join(', ') : forwarded,
      client: program === 'Mozilla' ? 'browser' : program,
      verb: check.action,
      resource,
      object,
      project: projectOf(resource, object),
      target: this.#target(),
      decision: isRefused ? 'refused' : 'allowed',
      revision: namedIn(this.#input, 'revision'),
      ...outcome,
      ...this.#note,
      route: this.#match === undefined ? undefined : `${this.#match.route.method} ${this.#match.route.path}`,
      request: this.known.id,
    };
  }

  /** What the route declares, for a request that came no further. */
  #declared(): Check {
    if (this.#match === undefined) return { resource: '', action: this.request.method ?? '', object: '' };
    const { route, path } = this.#match;
    const names = Object.values(path).filter((name) => name !== '');
    const { access } = route;
    if (typeof access === 'string') return { resource: '', action: verbOf(route), object: names.join('/') };
    return {
      resource: resourceOf(access),
      action: typeof access.action === 'string' ? access.action : verbOf(route),
      object: names.length > 0 ? names.join('/') : namedIn(this.#input, 'appName'),
    };
  }

  /** The live object, or the pod with its container. */
  #target(): string {
    const named = (name: string): string => namedIn(this.#input, name);
    const name = named('resourceName') || named('pod') || (this.#match?.path['podName'] ?? '');
    if (name === '') return '';
    const kind = [named('group'), named('kind') || 'Pod'].filter((part) => part !== '').join('/');
    return [kind, [named('namespace'), name].filter((part) => part !== '').join('/'), named('container')]
      .filter((part) => part !== '')
      .join(' ');
  }
}

function resourceOf(access: Exclude<Route['access'], string>): string {
  if ('resource' in access) return access.resource;
  return 'each' in access ? access.each.resource : access.kind.resource;
}

const VERBS: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', DELETE: 'delete' };

function verbOf({ method }: Route): string {
  return VERBS[method] ?? 'update';
}

function projectOf(resource: string, object: string): string {
  if (resource === 'projects') return object;
  return PROJECT_SCOPED.has(resource) && object.includes('/') ? object.slice(0, object.indexOf('/')) : '';
}

/** A word in the query or in the body. */
function namedIn(input: Input | undefined, name: string): string {
  if (input === undefined) return '';
  const { body } = input;
  const inBody = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const given = input.query[name] ?? (Object.hasOwn(inBody, name) ? inBody[name] : undefined);
  return typeof given === 'string' ? given : '';
}
