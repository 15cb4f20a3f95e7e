import {
  ApiError,
  badRequest,
  expired,
  invalid,
  forbiddenField,
  notFound,
  unsupportedField,
  type FieldError,
} from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';
import { RevisionCompacted, type Stored } from '../store/index.js';
import { fromStored, keyFor, prefixOf, resourceOf, type RestContext } from './context.js';
import { selects, type Selection } from './selection.js';

/** How long a read may wait for a resourceVersion that this server has not reached. */
const WAIT_FOR_REVISION = 3000;

export interface ListOptions {
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** Asked for by mistake: only a watch can have it. */
  readonly sendInitialEvents: boolean;
}

export interface ListResult {
  readonly items: readonly Stored[];
  readonly revision: number;
  readonly continueToken?: string;
  readonly remaining?: number;
}

/** One object; `resourceVersion` means "not older than". */
export async function get(
  context: RestContext,
  type: ResourceType,
  namespace: string,
  name: string,
  resourceVersion = '',
): Promise<Stored> {
  await waitForRevision(context, readExactRevision(resourceVersion));
  const stored = context.store.get(keyFor(type, namespace, name));
  if (!stored) throw notFound(resourceOf(type), name);
  return stored;
}

/** Objects of a resource in key order, in pages where `limit` is set; every page shows the same revision. */
export async function list(
  context: RestContext,
  type: ResourceType,
  namespace: string,
  selection: Selection,
  options: ListOptions,
): Promise<ListResult> {
  checkListOptions(options);
  const prefix = prefixOf(type, namespace);
  const start = options.continueToken === '' ? undefined : readContinue(options.continueToken, prefix);
  const asked =
    start?.revision ?? (options.resourceVersionMatch === 'Exact' ? readRevision(options.resourceVersion) : 0);
  await waitForRevision(context, readRevision(options.resourceVersion));
  const past = asked > 0 && asked < context.store.revision;
  const all = past ? listAtRevision(context, prefix, asked, options) : undefined;
  const revision = past ? asked : context.store.revision;
  // The real server answers version 0 from its watch cache, which knows no pages.
  const limit = options.resourceVersion === '0' && start === undefined ? 0 : options.limit;
  const page = pageOf(context, type, prefix, selection, { after: start?.after ?? '', limit, all });
  if (page.next === undefined) return { items: page.items, revision };
  const continueToken = writeContinue(revision, prefix, page.next);
  return {
    items: page.items,
    revision,
    continueToken,
    ...(selection === undefined ? { remaining: page.remaining } : {}),
  };
}

interface Page {
  readonly items: Stored[];
  readonly next?: string;
  readonly remaining: number;
}

function pageOf(
  context: RestContext,
  type: ResourceType,
  prefix: string,
  selection: Selection,
  from: { after: string; limit: number; all: Stored[] | undefined },
): Page {
  const entries = (from.all ?? context.store.range(prefix)).filter(({ key }) => key > from.after);
  if (from.limit <= 0 && selection === undefined) return { items: entries, remaining: 0 };
  const items: Stored[] = [];
  for (const [index, stored] of entries.entries()) {
    if (!selects(selection, type, stored, fromStored)) continue;
    if (from.limit > 0 && items.length === from.limit)
      return { items, next: items.at(-1)?.key ?? '', remaining: entries.length - index };
    items.push(stored);
  }
  return { items, remaining: 0 };
}

/** The objects under a prefix as they were at a past revision: today's state with later changes taken back. */
function listAtRevision(context: RestContext, prefix: string, revision: number, options: ListOptions): Stored[] {
  const undo = new Map<string, Stored | undefined>();
  try {
    context.store
      .watch(prefix, revision, ({ current, previous }) => {
        if (!undo.has(current.key)) undo.set(current.key, previous);
      })
      .close();
  } catch (error) {
    if (error instanceof RevisionCompacted)
      throw options.continueToken === ''
        ? expired(`The resourceVersion for the provided list is too old.`)
        : continueExpired();
    throw error;
  }
  const kept = context.store.range(prefix).filter(({ key }) => !undo.has(key));
  const restored = [...undo.values()].filter((stored) => stored !== undefined);
  return [...kept, ...restored].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function continueExpired(): ApiError {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new ' +
      'list without the continue parameter, or use the continue token in this response to retrieve the ' +
      'remainder of the results. Continuing with the provided token results in an inconsistent list - objects ' +
      'that were created, modified, or deleted between the time the first chunk was returned and now may show ' +
      'up in the list.',
  );
}

/** Options that a watch may not combine. */
export function checkWatchOptions(resourceVersionMatch: string, sendInitialEvents: string | null): void {
  const errors: FieldError[] = [];
  if (sendInitialEvents === null) {
    if (resourceVersionMatch !== '')
      errors.push(
        forbiddenField(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
  } else if (resourceVersionMatch !== 'NotOlderThan') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
    if (resourceVersionMatch !== '')
      errors.push(unsupportedField('resourceVersionMatch', resourceVersionMatch, ['NotOlderThan']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

function checkListOptions({
  continueToken,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
}: ListOptions): void {
  const errors: FieldError[] = [];
  if (resourceVersionMatch !== '') {
    if (resourceVersion === '')
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if (continueToken !== '')
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    if (!['Exact', 'NotOlderThan'].includes(resourceVersionMatch))
      errors.push(unsupportedField('resourceVersionMatch', resourceVersionMatch, ['Exact', 'NotOlderThan', '']));
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0')
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (sendInitialEvents) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  if (continueToken !== '' && resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
}

function readRevision(text: string): number {
  if (text === '' || text === '0') return 0;
  if (!/^\d{1,18}$/.test(text)) throw badResourceVersion(text);
  return Number(text);
}

/** The same for a get or a watch, which the real server answers as its own failure. */
export function readExactRevision(text: string): number {
  if (/^\d*$/.test(text)) return readRevision(text);
  throw new ApiError(
    500,
    '',
    `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ` +
      `${JSON.stringify(text)}: invalid syntax`,
  );
}

function badResourceVersion(text: string): ApiError {
  return badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: ` +
      `parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

/** Resolves when the store has reached `revision`; after three seconds it is a "Too large resource version" error. */
async function waitForRevision(context: RestContext, revision: number): Promise<void> {
  if (revision <= context.store.revision) return;
  await new Promise<void>((resolve, reject) => {
    const cancel = context.clock.after(WAIT_FOR_REVISION, () => {
      watch.close();
      reject(tooLarge(revision, context.store.revision));
    });
    const watch = context.store.onRevision((reached) => {
      if (reached < revision) return;
      watch.close();
      cancel();
      resolve();
    });
  });
}

function tooLarge(asked: number, current: number): ApiError {
  const message = `Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new ApiError(504, 'Timeout', `Timeout: ${message}`, { causes, retryAfterSeconds: 1 });
}

function writeContinue(revision: number, prefix: string, lastKey: string): string {
  const start = `${lastKey.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

/** Go's JSON reader names the first character that cannot start a value. */
function firstCharacter(bytes: Buffer): string {
  const [first = 0] = bytes;
  return bytes.length === 0
    ? 'unexpected end of JSON input'
    : `invalid character '${first < 0x80 ? String.fromCharCode(first) : `\\u00${first.toString(16)}`}' ` +
        'looking for beginning of value';
}

function readContinue(token: string, prefix: string): { revision: number; after: string } {
  const broken = (why: string): ApiError => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  let value: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as typeof value;
  } catch {
    throw broken(firstCharacter(Buffer.from(token, 'base64url')));
  }
  const { v, rv, start } = value;
  if (v !== 'meta.k8s.io/v1')
    throw broken(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0)
    throw broken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw broken('encoded start key empty (version meta.k8s.io/v1)');
  if (start.split('/').includes('..')) throw broken(start);
  return { revision: rv, after: prefix + start.replace(/\u0000$/, '') };
}
