import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findRecords } from './find-records.js';
import { plainHash } from './line-hash.js';
import { verifyFile } from './verify.js';

const ROOT = resolve(import.meta.dirname, '../..');
const TRIALS = 3;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'argosy-audit-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Kills the writer after so many lines that it said are written; gives all that it said. */
async function writeAndKill(file: string, least: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'testing/write-log.ts'), file], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === least) child.kill('SIGKILL');
  }
  await ended;
  // The kill may cut the last word.
  return said.slice(0, -1);
}

it('loses no line that was written when the process is killed, over rotations, and stays whole', async () => {
  const file = join(folder, 'audit.jsonl');
  const said: string[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    said.push(...(await writeAndKill(file, 150 + 97 * trial)));
    expect((await verifyFile(file, { lineHash: plainHash() })).bad).toBeUndefined();
  }
  const { records } = await findRecords(file, { limit: 20_000 });
  const there = new Set(records.map(({ object }) => object));
  expect(said.filter((object) => !there.has(object))).toEqual([]);
  expect(said.length).toBeGreaterThan(100 * TRIALS);
});
