import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../cluster/index.js';
import { isArray, isObject, own, parseJson, put, type Json, type JsonObject } from '../../model/json/index.js';

/** An application that was Synced and Healthy, with the versions of everything that this depends on. */
export interface UnchangedApplication {
  /** resourceVersion of the Application. */
  readonly version: string;
  /** Digest of settings, projects, kinds of the cluster and our own code. */
  readonly basis: string;
  /** The commits of its sources. */
  readonly revisions: readonly string[];
  /** Version by key of each object that was read; empty for one that did not exist. */
  readonly objects: ReadonlyMap<string, string>;
}

interface UnchangedCacheOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly report: (problem: string) => void;
}

/** Milliseconds. What a crash loses only costs full reconciles of those applications. */
const SAVE_DELAY = 10_000;

/**
 * Applications for which nothing was left to do, kept in a file. After a restart one that has not changed is neither
 * rendered nor compared. The file may be lost or damaged at any time: then every application is reconciled in full.
 */
export class UnchangedCache {
  readonly #options: UnchangedCacheOptions | undefined;
  readonly #known = new Map<string, UnchangedApplication>();
  #cancel: (() => void) | undefined;
  #saving = Promise.resolve();

  /** Without options nothing is saved. */
  constructor(options?: UnchangedCacheOptions) {
    this.#options = options;
  }

  static async open(options: UnchangedCacheOptions): Promise<UnchangedCache> {
    const cache = new UnchangedCache(options);
    for (const [uid, unchanged] of await readCacheFile(options.path)) cache.#known.set(uid, unchanged);
    return cache;
  }

  get(uid: string): UnchangedApplication | undefined {
    return this.#known.get(uid);
  }

  set(uid: string, unchanged: UnchangedApplication): void {
    this.#known.set(uid, unchanged);
    this.#saveSoon();
  }

  delete(uid: string): void {
    if (this.#known.delete(uid)) this.#saveSoon();
  }

  async close(): Promise<void> {
    if (this.#cancel !== undefined) this.#save();
    await this.#saving;
  }

  #saveSoon(): void {
    if (this.#options !== undefined)
      this.#cancel ??= this.#options.clock.after(SAVE_DELAY, () => {
        this.#save();
      });
  }

  #save(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { path, report } = this.#options ?? { path: '', report: () => undefined };
    this.#saving = this.#saving
      .then(() => writeCacheFile(path, this.#known))
      .catch((error: unknown) => {
        report(
          `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}; after a ` +
            'restart every application is reconciled in full',
        );
      });
  }
}

async function writeCacheFile(path: string, known: ReadonlyMap<string, UnchangedApplication>): Promise<void> {
  const all: JsonObject = {};
  for (const [uid, { version, basis, revisions, objects }] of known)
    put(all, uid, { version, basis, revisions: [...revisions], objects: [...objects].flat() });
  const text = JSON.stringify(all);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${digestOf(text)}\n${text}`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

async function readCacheFile(path: string): Promise<[string, UnchangedApplication][]> {
  let file: string;
  try {
    file = await readFile(path, 'utf8');
  } catch {
    // It does not exist before the first stop. In any other case it is written again.
    return [];
  }
  const end = file.indexOf('\n');
  const text = file.slice(end + 1);
  if (end < 0 || digestOf(text) !== file.slice(0, end)) return [];
  const all = parseJson(text);
  if (!isObject(all)) return [];
  return Object.keys(all).flatMap((uid) => {
    const unchanged = readUnchanged(own(all, uid));
    return unchanged === undefined ? [] : [[uid, unchanged]];
  });
}

function readUnchanged(value: Json | undefined): UnchangedApplication | undefined {
  if (!isObject(value)) return undefined;
  const { version, basis, revisions, objects } = value;
  if (typeof version !== 'string' || typeof basis !== 'string' || !isArray(revisions) || !isArray(objects))
    return undefined;
  const pairs = new Map<string, string>();
  for (let index = 0; index + 1 < objects.length; index += 2)
    pairs.set(String(objects[index]), String(objects[index + 1]));
  return { version, basis, revisions: revisions.map(String), objects: pairs };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
