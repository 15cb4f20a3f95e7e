import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, parseJson } from '../../model/json/index.js';

/**
 * Adds to `run.json`, which says what serves a data directory and goes when that stops. Readers see the old file or the
 * new one.
 */
export async function writeRunFile(
  data: string,
  instance: {
    readonly web: string;
    readonly metrics?: string;
    readonly namespace: string;
    readonly profile: string;
  },
): Promise<void> {
  const path = join(data, 'run.json');
  const run = parseJson(await readFile(path, 'utf8'));
  await writeFile(`${path}.new`, `${JSON.stringify({ ...(isObject(run) ? run : {}), ...instance })}\n`, {
    mode: 0o600,
  });
  await rename(`${path}.new`, path);
}
