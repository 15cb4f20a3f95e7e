import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from './directory-lock.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'argosy-lock-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe.each([
  ['a short path', 'short'],
  ['a path longer than a socket address', 'd'.repeat(120)],
])('in %s', (_, name) => {
  const directory = (): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  };

  it('refuses a second holder with a sentence that names the process, and lets it in after the release', async () => {
    const path = directory();
    const first = await lockDirectory(path);
    await expect(lockDirectory(path)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: `process ${process.pid} is using this directory`,
      where: path,
    });
    await first.release();
    const second = await lockDirectory(path);
    await second.release();
    expect(readdirSync(path)).toEqual([]);
  });

  it('takes over the socket of a killed process', async () => {
    const path = directory();
    // Binds by a relative path, so that the long directory needs no trick in the child.
    const child = spawn(
      process.execPath,
      ['-e', 'require("net").createServer((asker) => asker.end()).listen("lock", () => console.log("ready"))'],
      { cwd: path, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    await expect(lockDirectory(path)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(path)).toEqual(['lock']);
    const lock = await lockDirectory(path);
    await lock.release();
  });

  it('gives the lock to one of many that find a stale socket together', async () => {
    const path = directory();
    const child = spawn(
      process.execPath,
      ['-e', 'require("net").createServer((asker) => asker.end()).listen("lock", () => console.log("ready"))'],
      { cwd: path, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(path)));
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(held.length).toBeLessThanOrEqual(1);
    for (const lock of held) await lock.release();
  });
});
