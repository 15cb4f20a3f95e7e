import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Archives by the hash of their content. What does not match its name is not there. */
export class ChartCache {
  readonly #directory: string;
  #written = 0;

  constructor(data: string) {
    this.#directory = join(data, 'cache', 'charts');
  }

  async get(digest: string): Promise<Buffer | undefined> {
    if (!isDigest(digest)) return undefined;
    const path = this.#path(digest);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) === digest) return bytes;
    await rm(path, { force: true });
    return undefined;
  }

  async put(digest: string, bytes: Buffer): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const unfinished = `${this.#path(digest)}.${this.#written++}`;
    await writeFile(unfinished, bytes, { mode: 0o600 });
    await rename(unfinished, this.#path(digest));
  }

  #path(digest: string): string {
    return join(this.#directory, `${digest}.tgz`);
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
