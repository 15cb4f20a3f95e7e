import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partsDir } from './go-build.js';

/**
 * What a real program answered, asked once on this machine for each state of `asked` (everything that the answer
 * depends on, the program's path with its version among it) and kept beside the program, outside the repository.
 */
export async function cachedAnswer<T>(what: string, asked: readonly string[], answer: () => Promise<T>): Promise<T> {
  const path = answerPath(what, asked);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as T;
  const given = await answer();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(given));
  renameSync(`${path}.${process.pid}`, path);
  return given;
}

function answerPath(what: string, asked: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  return join(partsDir('answers'), what, `${hash.slice(0, 32)}.json`);
}
