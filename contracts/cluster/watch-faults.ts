import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../real/control-plane.js';
import type { Random } from '../../src/apiserver/store/testing/random.js';
import { own, parseJson, put, writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { FaultProxy, OpenStream, Reply, ProxiedRequest } from './fault-proxy.js';

/**
 * What a fault may use: the proxy, the server behind it, and the writer that changes objects behind the cache's back.
 */
export interface FaultContext {
  readonly proxy: FaultProxy;
  readonly plane: ControlPlane;
  readonly random: Random;
  readonly plurals: readonly string[];
  /** Creates, updates, deletes and re-creates objects of every kind. */
  mutate(): Promise<void>;
  /** Updates every object. */
  touchAll(): Promise<void>;
  /** Deletes the object of each kind that a list names first. */
  removeFirst(): Promise<void>;
  /** The server's newest resourceVersion. */
  newestVersion(): Promise<string>;
  /** Waits, with a limit, until the cache equals a live list. */
  untilEqual(): Promise<void>;
  /** Waits, with a limit, until something is so. */
  until(what: string, condition: () => boolean): Promise<void>;
}

export interface WatchFault {
  readonly name: string;
  /** Lists that each kind may read because of it. */
  readonly lists: number;
  /** Objects a page; small where paging is the point. */
  readonly pageSize?: number;
  /** Longest silence; short where silence is the point. */
  readonly silence?: number;
  /** Whether the fault must be there before the first list. */
  readonly atStart?: boolean;
  /** Breaks, changes objects meanwhile, heals. */
  play(stage: FaultContext): Promise<void>;
}

const HTML = '<!DOCTYPE html>\n<html>\n<body>Please log in</body>\n</html>\n';
const GONE = writeJson({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'The provided continue parameter is too old',
  reason: 'Expired',
  code: 410,
});
const ERROR_410 =
  writeJson({
    type: 'ERROR',
    object: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'too old resource version: 1 (2)',
      reason: 'Expired',
      code: 410,
    },
  }) + '\n';
const DOWN_REQUESTS = 2;

/** The twelve ways a watch breaks in practice. */
export const WATCH_FAULTS: readonly WatchFault[] = [
  { name: 'the API server restarts', lists: 1, play: restart },
  { name: '410 inside the stream', lists: 1, play: errorInStream },
  { name: '410 as HTTP status', lists: 1, play: httpGone },
  { name: 'a continue token expires between two pages', lists: 1, pageSize: 3, atStart: true, play: expiredPage },
  { name: 'a resourceVersion from the future', lists: 1, play: futureVersion },
  { name: 'bookmarks and nothing else', lists: 0, play: bookmarksOnly },
  { name: 'a half-open connection', lists: 0, silence: 1500, play: halfOpen },
  { name: 'a reset in the middle of an event', lists: 0, play: resetInEvent },
  { name: 'characters split between chunks', lists: 0, play: splitCharacters },
  { name: 'an event of 10 MB', lists: 0, play: hugeEvent },
  { name: 'a page of HTML with status 200', lists: 1, play: htmlPage },
  { name: 'a clean end of the stream', lists: 0, play: cleanEnd },
];

/** Keeps events from the client, as a broken link would. */
function withhold(stage: FaultContext): void {
  for (const stream of stage.proxy.streams()) stream.filter = () => undefined;
}

function inject(stage: FaultContext, line: string): void {
  for (const stream of stage.proxy.streams()) stream.write(line);
}

/** Answers every request like this until each kind came back often enough, while objects change. */
async function down(stage: FaultContext, reply: Reply, requests = DOWN_REQUESTS): Promise<void> {
  const counts = new Map<string, number>();
  stage.proxy.onRequest = ({ plural }) => {
    counts.set(plural, (counts.get(plural) ?? 0) + 1);
    return reply;
  };
  await stage.mutate();
  await stage.until('the client tried again', () =>
    stage.plurals.every((plural) => (counts.get(plural) ?? 0) >= requests),
  );
  stage.proxy.onRequest = () => 'pass';
}

/** Answers each kind once like this, then hands on. */
function once(
  stage: FaultContext,
  matches: (seen: ProxiedRequest) => boolean,
  reply: () => Reply | Promise<Reply>,
): Promise<void> {
  const served = new Set<string>();
  stage.proxy.onRequest = (seen) => {
    if (!matches(seen) || served.has(seen.plural)) return 'pass';
    served.add(seen.plural);
    return reply();
  };
  return stage.until('every kind met the fault', () => stage.plurals.every((plural) => served.has(plural)));
}

async function restart(stage: FaultContext): Promise<void> {
  withhold(stage);
  await stage.mutate();
  await stage.plane.restart();
  await stage.mutate();
}

async function errorInStream(stage: FaultContext): Promise<void> {
  withhold(stage);
  await stage.mutate();
  inject(stage, ERROR_410);
}

/** The server refuses the version for good: only a list helps. */
async function httpGone(stage: FaultContext): Promise<void> {
  withhold(stage);
  await stage.mutate();
  const hasListed = new Set<string>();
  stage.proxy.onRequest = ({ plural, what }) => {
    if (what === 'list') hasListed.add(plural);
    return what === 'watch' && !hasListed.has(plural)
      ? { status: 410, contentType: 'application/json', body: GONE }
      : 'pass';
  };
  for (const stream of stage.proxy.streams()) stream.end();
  await stage.until('every kind was listed', () => hasListed.size === stage.plurals.length);
}

async function expiredPage(stage: FaultContext): Promise<void> {
  let changed: Promise<void> | undefined;
  await once(
    stage,
    ({ what }) => what === 'page',
    async () => {
      await (changed ??= stage.mutate().then(() => stage.removeFirst()));
      return { status: 410, contentType: 'application/json', body: GONE };
    },
  );
  await changed;
}

async function futureVersion(stage: FaultContext): Promise<void> {
  withhold(stage);
  await stage.mutate();
  inject(stage, bookmark(String(Number(await stage.newestVersion()) + 1_000_000)));
  const streams = stage.proxy.streams();
  for (const stream of streams) stream.end();
}

/** Other kinds move the version on; a client that forgets bookmarks resumes from too far back. */
async function bookmarksOnly(stage: FaultContext): Promise<void> {
  const version = await stage.newestVersion();
  for (let sent = 0; sent < 3; sent++) inject(stage, bookmark(version));
  const before = stage.proxy.seen.length;
  for (const stream of stage.proxy.streams()) stream.end();
  await down(stage, 'cut');
  const resumed = (plural: string): ProxiedRequest | undefined =>
    stage.proxy.seen.slice(before).find((seen) => seen.plural === plural && seen.what === 'watch' && seen.wasPassed);
  await stage.until('the client resumed', () => stage.plurals.every((plural) => resumed(plural) !== undefined));
  const wrong = stage.plurals.filter((plural) => resumed(plural)?.resourceVersion !== version);
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')} resumed before the bookmark ${version}`);
}

function bookmark(resourceVersion: string): string {
  return (
    writeJson({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } } }) +
    '\n'
  );
}

/** Nothing comes any more and nothing says so; new connections hang as well. */
async function halfOpen(stage: FaultContext): Promise<void> {
  withhold(stage);
  await down(stage, 'hang', 1);
}

async function resetInEvent(stage: FaultContext): Promise<void> {
  cutInside(stage, (line) => Math.floor(line.length / 2));
  await stage.touchAll();
  await stage.until('every stream was reset', () => stage.proxy.streams().every(({ filter }) => filter === undefined));
  await down(stage, 'cut');
}

/** Each kind's stream breaks inside its next event. */
function cutInside(stage: FaultContext, where: (line: Buffer) => number): void {
  for (const stream of stage.proxy.streams()) {
    let isCut = false;
    stream.filter = (line) => {
      if (isCut) return;
      isCut = true;
      stream.write(line.subarray(0, where(line)), () => setTimeout(() => stream.reset(), 10));
    };
  }
}

async function splitCharacters(stage: FaultContext): Promise<void> {
  const sent: Promise<void>[] = [];
  for (const stream of stage.proxy.streams()) {
    let last = Promise.resolve();
    stream.filter = (line) => {
      sent.push((last = last.then(() => crumble(line, stream, stage.random))));
    };
  }
  await stage.mutate();
  await stage.touchAll();
  await stage.until('every kind changed', () => sent.length > stage.plurals.length);
  for (let done = 0; done < sent.length; done++) await sent[done];
  await stage.untilEqual();
  // The last piece that gets through ends inside a character.
  cutInside(stage, (line) => line.findIndex((byte) => byte >= 0xc0) + 1);
  await stage.touchAll();
  await stage.until('every stream was reset', () => stage.proxy.streams().every(({ filter }) => filter === undefined));
}

/** Sends an event in pieces that end inside a character, far enough apart that nothing joins them again. */
async function crumble(line: Buffer, stream: OpenStream, random: Random): Promise<void> {
  const starts = [...line.keys()].filter((at) => (line[at] ?? 0) >= 0xc0);
  const cuts = [random.pick(starts), random.pick(starts)].map((at) => at + 1).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...new Set(cuts), line.length]) {
    stream.write(line.subarray(from, to));
    from = to;
    await delay(5);
  }
}

async function hugeEvent(stage: FaultContext): Promise<void> {
  const grown = new Set<string>();
  const watches = (): number => stage.proxy.seen.filter(({ what }) => what === 'watch').length;
  const before = watches();
  for (const stream of stage.proxy.streams()) {
    stream.filter = (line) => {
      if (grown.has(stream.plural)) return stream.write(line);
      grown.add(stream.plural);
      stream.write(`${grow(line.toString('utf8'))}\n`);
    };
  }
  await stage.touchAll();
  await stage.until('every kind got its event', () => grown.size === stage.plurals.length);
  await stage.mutate();
  // The next event of the grown object brings it back to what the server has.
  await stage.touchAll();
  if (watches() > before) throw new Error('the large event broke the stream');
}

function grow(line: string): string {
  const event = parseJson(line) as JsonObject;
  const metadata = own(own(event, 'object') as JsonObject, 'metadata') as JsonObject;
  put(metadata, 'annotations', { large: 'ü€😀'.repeat(1_100_000) });
  return writeJson(event);
}

async function htmlPage(stage: FaultContext): Promise<void> {
  const contentType = stage.random.chance(0.5) ? 'text/html; charset=utf-8' : 'application/json';
  for (const stream of stage.proxy.streams()) stream.end();
  await down(stage, { status: 200, contentType, body: HTML });
}

async function cleanEnd(stage: FaultContext): Promise<void> {
  withhold(stage);
  await stage.mutate();
  for (const stream of stage.proxy.streams()) stream.end();
  await down(stage, 'cut');
}
