import { setTimeout as delay } from 'node:timers/promises';
import { isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { Connection, Stream } from '../../../contracts/apiserver/connection.js';
import type { ConsistencyChecker, WatchEvent } from './consistency-checker.js';
import { member, readObjectState, word, type Resource, type ObjectState } from './resource.js';

export interface Listed {
  readonly revision: number;
  readonly items: readonly ObjectState[];
}

/**
 * Milliseconds between two lists of one kind: enough to see states in passing, few enough to leave the time to writers.
 */
const LIST_EVERY = 40;

const get = (path: string): { method: string; path: string; headers: Record<string, string>; body: undefined } => ({
  method: 'GET',
  path,
  headers: { accept: 'application/json' },
  body: undefined,
});

export async function list(connection: Connection, resource: Resource): Promise<Listed> {
  const { code, text } = await connection.send(get(resource.path));
  const body = parseJson(text);
  if (code !== 200 || !isObject(body)) throw new Error(`GET ${resource.path} answered ${code}: ${text.slice(0, 400)}`);
  const items = own(body, 'items');
  return {
    revision: Number(word(member(body, 'metadata'), 'resourceVersion')),
    items: isArray(items) ? items.map((item) => readObjectState(resource, item)) : [],
  };
}

/** Keeps a watch open and lists now and then until the connection breaks: what readers see must last, too. */
export async function readUntilCut(
  connection: Connection,
  ledger: ConsistencyChecker,
  resource: Resource,
  from: number,
): Promise<void> {
  const cut = { lists: false };
  const watching = watchAll(connection, resource, from, ({ type, object }) => {
    ledger.observe(object, type === 'DELETED');
    return cut.lists;
  });
  while (!cut.lists) {
    try {
      const listed = await list(connection, resource);
      ledger.observeRevision(listed.revision);
      for (const shown of listed.items) if (shown.revision > from) ledger.observe(shown);
      await delay(LIST_EVERY);
    } catch {
      cut.lists = true; // by the kill; the writers notice every other reason
    }
  }
  await watching;
}

/** Events until `enough` says so or the stream ends; undefined where the server says that it no longer has them. */
export async function watchAll(
  connection: Connection,
  resource: Resource,
  from: number,
  enough: (event: WatchEvent) => boolean,
): Promise<WatchEvent[] | undefined> {
  const stream = await openWatch(connection, resource, from);
  if (stream === undefined) return undefined;
  const events: WatchEvent[] = [];
  try {
    for (let line = await stream.next(); line !== undefined; line = await stream.next()) {
      const event = readEvent(resource, line);
      if (event === 'expired') return undefined;
      events.push(event);
      if (enough(event)) break;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error; // the kill cut the stream
    if (error instanceof WrongEvent) throw error;
  } finally {
    stream.close();
  }
  return events;
}

async function openWatch(connection: Connection, resource: Resource, from: number): Promise<Stream | undefined> {
  const path = `${resource.path}?watch=true&resourceVersion=${from}&timeoutSeconds=20`;
  const opened = await connection.watch(get(path));
  if ('next' in opened) return opened;
  if (opened.code === 410) return undefined;
  throw new WrongEvent(`GET ${path} answered ${opened.code}: ${opened.text.slice(0, 400)}`);
}

class WrongEvent extends Error {}

function readEvent(resource: Resource, line: Json): WatchEvent | 'expired' {
  const event: JsonObject = isObject(line) ? line : {};
  const type = word(event, 'type');
  if (type === 'ERROR' && own(member(event, 'object'), 'code') === 410) return 'expired';
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
    throw new WrongEvent(`the watch of ${resource.plural} sent ${JSON.stringify(line).slice(0, 400)}`);
  return { type, object: readObjectState(resource, own(event, 'object')) };
}
