import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeUnused, type Clock } from '../common/index.js';

/**
 * Archives by the hash of their content, apart for everybody who opens a repository in another way: an index may name
 * the digest of a chart that its readers may not have. What does not match its name is not there.
 */
export class ChartCache {
  readonly #directory: string;
  #written = 0;

  readonly #clock: Clock;
  #cleaned: Promise<void> | undefined;

  constructor(data: string, clock: Clock) {
    this.#directory = join(data, 'cache', 'charts');
    this.#clock = clock;
  }

  async get(owner: string, digest: string): Promise<Buffer | undefined> {
    if (!isDigest(digest)) return undefined;
    const path = this.#path(owner, digest);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) === digest) return bytes;
    await rm(path, { force: true });
    return undefined;
  }

  async put(owner: string, digest: string, bytes: Buffer): Promise<void> {
    await (this.#cleaned ??= this.#clean());
    const path = this.#path(owner, digest);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const unfinished = `${path}.${this.#written++}`;
    await writeFile(unfinished, bytes, { mode: 0o600 });
    await rename(unfinished, path);
    await utimes(dirname(path), this.#clock.now(), this.#clock.now());
  }

  /** Once, before the first archive is kept: what older versions shared, and folders that got nothing for long. */
  async #clean(): Promise<void> {
    for (const name of await readdir(this.#directory).catch(() => [] as string[]))
      if (name.endsWith('.tgz')) await rm(join(this.#directory, name), { force: true });
    await removeUnused(this.#directory, '.', this.#clock.now());
  }

  #path(owner: string, digest: string): string {
    return join(this.#directory, owner, `${digest}.tgz`);
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
