import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import {
  isCompleted,
  isHealthStatus,
  readOperation,
  type Health,
  type ResourceResult,
} from '../../model/argo/index.js';
import { NO_IMPROVEMENTS } from '../../model/settings/index.js';
import { parseDuration } from '../../model/formats/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { waitTimeoutOf, waveImagesOf, waveTimeoutsOf } from './gate.js';
import { listWaves } from './list-waves.js';
import type { ImageState } from './image.js';
import type { SyncPlan } from './sync-plan.js';
import { SyncDriver } from './testing/sync-driver.js';
import { shortName, MemoryCluster } from './testing/memory-cluster.js';

/**
 * Each case plays a sync in a small world. `given.yaml`: `targets` as git has them, `live` objects (`tracked`: those
 * that belong to the application), `health` and
 * `hookReasons` by `Kind/name`, `images` by name, annotations of the `application`,
 * `refusals` of the server, and a `script` of what happens each time the sync waits. `expect.yaml`: `steps` that were
 * run, with what the sync said whenever it waited or ended; `results`, `waits` and `waves` where the case is about
 * them. Without `improvements` the behaviour is that of Argo CD.
 */
const CASES = join(import.meta.dirname, 'cases');

function waveText({ phase, wave, tasks, waitsFor }: ReturnType<typeof listWaves>[number]): string {
  const does = tasks.map(
    (task) => `${task.does} ${shortName(task.key)}${task.notes.length > 0 ? ` (${task.notes.join('; ')})` : ''}`,
  );
  const waits = waitsFor.map((wait) => `${wait.why} of ${shortName(wait.key)}`);
  return `${phase} ${wave}: ${does.join(', ')}${waits.length > 0 ? `; after ${waits.join(', ')}` : ''}`;
}

function read(name: string, file: string): JsonObject {
  const path = join(CASES, name, file);
  const value = readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path, duplicates: 'error' });
  if (!isObject(value)) throw new Error(`${path} is no object`);
  return value;
}

const list = (from: JsonObject, name: string): Json[] => {
  const value = own(from, name);
  return isArray(value) ? value : [];
};
const texts = (from: JsonObject, name: string): string[] => list(from, name).map(String);
const map = (from: JsonObject, name: string): [string, Json][] => {
  const value = own(from, name);
  return isObject(value) ? Object.keys(value).map((key) => [key, own(value, key) ?? null]) : [];
};

function setUp(given: JsonObject): SyncDriver {
  const world = new MemoryCluster();
  for (const object of list(given, 'live') as KubeObject[]) world.put(object);
  for (const kind of texts(given, 'unserved')) world.unserved.add(kind);
  for (const [step, message] of map(given, 'refusals')) world.rejections.set(step, String(message));
  const keys = texts(given, 'improvements').map((key) => [key, true] as const);
  const operation = readOperation({ sync: own(given, 'request') ?? {} }, 'operation');
  const metadata = own(given, 'namespaceMetadata');
  const application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      annotations: Object.fromEntries(map(given, 'application').map(([name, value]) => [name, String(value)])),
    },
  };
  const waitTimeout = waitTimeoutOf(application);
  const player = new SyncDriver(world, {
    targets: (list(given, 'targets') as KubeObject[]).map((object) => world.place(object)),
    tracked: texts(given, 'tracked'),
    request: operation.sync,
    syncOptions: texts(given, 'syncOptions'),
    improvements: { ...NO_IMPROVEMENTS, ...Object.fromEntries(keys) },
    violations: new Map(map(given, 'violations').map(([key, text]) => [key, String(text)])),
    revision: 'abcdef0123456789',
    rest: {
      ...(typeof given.gateTimeout === 'string'
        ? { gateTimeout: Number(parseDuration(given.gateTimeout) / 1_000_000n) }
        : {}),
      waveImages: waveImagesOf(application, 'shop'),
      waveTimeouts: waveTimeoutsOf(application),
      ...(waitTimeout === undefined ? {} : { waitTimeout }),
      ...(texts(given, 'ungatedKinds').length > 0 ? { ungatedKinds: texts(given, 'ungatedKinds') } : {}),
      ...(isObject(metadata)
        ? { namespaceMetadata: metadata as { labels: Record<string, string>; annotations: Record<string, string> } }
        : {}),
    },
  });
  happen(player, {
    health: own(given, 'health') ?? {},
    images: own(given, 'images') ?? {},
    hookReasons: own(given, 'hookReasons') ?? {},
  });
  return player;
}

function happen(player: SyncDriver, event: JsonObject): void {
  const { cluster } = player;
  for (const [short, value] of map(event, 'health')) cluster.healths.set(short, healthOf(value));
  for (const [short, status] of map(event, 'status')) cluster.named(short).status = status;
  for (const [image, value] of map(event, 'images')) cluster.images.set(image, imageStateOf(value));
  for (const [short, message] of map(event, 'hookReasons'))
    cluster.hookReasons.set(short, {
      message: String(message),
      remedy: 'argosy app terminate-op ends it',
      isIdle: true,
    });
  for (const object of list(event, 'put') as KubeObject[]) cluster.put(object);
  for (const short of texts(event, 'gone')) {
    if (cluster.named(short).metadata.deletionTimestamp === undefined) cluster.vanish(short);
    else cluster.release(short);
  }
  for (const short of texts(event, 'leaves'))
    cluster.named(short).metadata.deletionTimestamp = cluster.now.toISOString();
  for (const kind of texts(event, 'serve')) cluster.unserved.delete(kind);
  if (typeof event.after === 'string')
    cluster.now = new Date(cluster.now.getTime() + Number(parseDuration(event.after) / 1_000_000n));
  if (typeof event.approve === 'string') player.approvedAt = new Date(event.approve);
  if (event.terminate === true) player.isTerminating = true;
  if (event.restart === true) player.restart();
}

function healthOf(value: Json): Health {
  const [status, ...words] = String(value).split(': ');
  if (!isHealthStatus(status)) throw new Error(`no such health: ${String(value)}`);
  return { status, ...(words.length > 0 ? { message: words.join(': ') } : {}) };
}

/** `there`, `awaited: Build nv-1 is Running` or `failed: ...`. */
function imageStateOf(value: Json): ImageState {
  const [state = '', ...words] = String(value).split(': ');
  const message = words.join(': ');
  if (state === 'there') return { state };
  if (state !== 'awaited' && state !== 'failed') throw new Error(`no such state of an image: ${String(value)}`);
  return { state, message };
}

function play(player: SyncDriver, script: Json[]): SyncPlan {
  for (const event of [...script, undefined]) {
    const move = player.run();
    if (!move) throw new Error('the process died');
    player.lines.push(`${move.phase}: ${move.message}`);
    if (isCompleted(move.phase) || event === undefined) return move;
    if (isObject(event)) happen(player, event);
  }
  throw new Error('unreachable');
}

const rowText = (row: ResourceResult): string =>
  `${row.syncPhase} ${shortName(row)} ${row.status ?? '-'} ${row.hookPhase ?? '-'}: ${row.message}`;

describe('a sync', () => {
  for (const name of readdirSync(CASES).filter((each) => existsSync(join(CASES, each, 'given.yaml')))) {
    it(name.replaceAll('-', ' '), () => {
      const [given, expected] = [read(name, 'given.yaml'), read(name, 'expect.yaml')];
      const player = setUp(given);
      const waves = listWaves(player.input()).map(waveText);
      const move = play(player, list(given, 'script'));
      const got: Record<string, Json> = {
        steps: player.lines,
        results: move.results.map(rowText),
        waits: move.waitsFor.map((wait) => `${wait.why} ${shortName(wait.key)}: ${wait.message}`),
        waves,
      };
      expect(
        Object.fromEntries(
          Object.keys(got)
            .filter((part) => own(expected, part) !== undefined)
            .map((part) => [part, got[part]]),
        ),
      ).toEqual(expected);
    });
  }
});
