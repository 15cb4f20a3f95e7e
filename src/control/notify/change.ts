import { isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

export const CHANGE_ANNOTATION = 'argosy.dev/notified-change';
const MAX_CAUSE_LENGTH = 500;
const MAX_CAUSES = 3;

/**
 * The transition of an application between healthy and failed. Passing states (Progressing, Unknown, a running sync) do
 * not count.
 */
export interface Change {
  readonly health: '' | 'failed' | 'recovered';
  readonly sync: '' | 'failed' | 'succeeded' | 'succeeded after failure';
  /** Why it failed, also after it recovered. */
  readonly cause: string;
  readonly syncCause: string;
  /** Which operation `sync` is about. */
  readonly operation: string;
}

export const CHANGE_FIELDS = [
  'health',
  'sync',
  'cause',
  'syncCause',
  'operation',
] as const satisfies readonly (keyof Change)[];
const NOTHING: Change = { health: '', sync: '', cause: '', syncCause: '', operation: '' };

export function readChange({ metadata }: KubeObject): Change {
  const text = metadata.annotations?.[CHANGE_ANNOTATION];
  if (text === undefined) return NOTHING;
  const value = tryParseJson(text);
  const say = (name: keyof Change): string =>
    isObject(value) && typeof own(value, name) === 'string' ? String(own(value, name)) : '';
  return {
    health: say('health') as Change['health'],
    sync: say('sync') as Change['sync'],
    cause: say('cause'),
    syncCause: say('syncCause'),
    operation: say('operation'),
  };
}

function tryParseJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // Not our format: the past is unknown.
    return null;
  }
}

/** How many messages were sent or promised of an application so far, and those that were only promised. */
export function readSent({ metadata }: KubeObject): { readonly sent: number; readonly pending: Json | undefined } {
  const value = tryParseJson(metadata.annotations?.[CHANGE_ANNOTATION] ?? '');
  if (!isObject(value)) return { sent: 0, pending: undefined };
  return {
    sent: typeof value.sent === 'number' && value.sent >= 0 ? Math.floor(value.sent) : 0,
    pending: value.pending,
  };
}

/** For the annotation; null where there is nothing to keep. */
export function changeText(change: Change, sent: number, pending: readonly JsonObject[]): string | null {
  if (change.health === '' && change.sync === '' && sent === 0 && pending.length === 0) return null;
  return JSON.stringify({ ...change, sent, ...(pending.length === 0 ? {} : { pending }) });
}

/** The same object where nothing changed. */
export function nextChange(before: Change, application: KubeObject): Change {
  const next = { ...before, ...healthChange(before, application), ...syncChange(before, application) };
  return JSON.stringify(next) === JSON.stringify(before) ? before : next;
}

function healthChange(before: Change, application: KubeObject): Partial<Change> {
  const status = at(application.status, 'health', 'status');
  if (status === 'Degraded' && before.health !== 'failed')
    return { health: 'failed', cause: truncate(causeOf(application)) };
  return status === 'Healthy' && before.health === 'failed' ? { health: 'recovered' } : {};
}

function syncChange(before: Change, { status }: KubeObject): Partial<Change> {
  const state = at(status, 'operationState');
  if (!isObject(state)) return {};
  const operation = `${text(state.startedAt)} ${text(state.finishedAt)}`;
  const isOver = text(state.finishedAt) !== '' && operation !== before.operation;
  if (!isOver) return {};
  if (state.phase === 'Failed' || state.phase === 'Error') {
    const syncCause = truncate(text(state.message));
    return { sync: 'failed', operation, syncCause, ...(before.health === 'failed' ? {} : { cause: syncCause }) };
  }
  return state.phase === 'Succeeded'
    ? { sync: before.sync === 'failed' ? 'succeeded after failure' : 'succeeded', operation }
    : {};
}

/** The messages of Degraded resources, otherwise of the operation or a condition. */
function causeOf({ status }: KubeObject): string {
  const degraded = objects(at(status, 'resources')).filter(
    (resource) => at(resource, 'health', 'status') === 'Degraded',
  );
  const named = degraded
    .slice(0, MAX_CAUSES)
    .map(
      (resource) =>
        `${text(resource.kind)}/${text(resource.name)}: ${text(at(resource, 'health', 'message')) || 'it is Degraded'}`,
    );
  const more = degraded.length > MAX_CAUSES ? [`and ${degraded.length - MAX_CAUSES} more`] : [];
  if (named.length > 0) return [...named, ...more].join('; ');
  const operation = at(status, 'operationState');
  if (isObject(operation) && (operation.phase === 'Failed' || operation.phase === 'Error'))
    return text(operation.message);
  return objects(at(status, 'conditions')).map(({ message }) => text(message))[0] ?? 'its health is Degraded';
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) found = isObject(found ?? null) ? own(found as JsonObject, name) : undefined;
  return found;
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value ?? null) ? (value as Json[]).filter(isObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function truncate(words: string): string {
  return words.length > MAX_CAUSE_LENGTH ? `${words.slice(0, MAX_CAUSE_LENGTH)}...` : words;
}
