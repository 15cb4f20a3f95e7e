import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPrivateDirectory } from './private-directory.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'argosy-private-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function modeOf(...path: string[]): string {
  return (statSync(join(root, ...path)).mode & 0o777).toString(8);
}

/** As an older version left it. */
function makeOldDirectory(data: string): void {
  for (const folder of ['store', 'git/bin', 'cache/charts']) mkdirSync(join(data, folder), { recursive: true });
  for (const file of ['run.json', 'git/bin/askpass']) writeFileSync(join(data, file), 'x');
  for (const name of ['.', 'store', 'git', 'cache', 'cache/charts']) chmodSync(join(data, name), 0o755);
  chmodSync(join(data, 'run.json'), 0o644);
}

describe('a data directory', () => {
  it('is made for its user alone', async () => {
    await openPrivateDirectory(join(root, 'a/b'));
    expect([modeOf('a'), modeOf('a/b')]).toEqual(['700', '700']);
  });

  it('that an older version made is closed to others, and what stands in it', async () => {
    makeOldDirectory(join(root, 'data'));
    await openPrivateDirectory(join(root, 'data'));
    expect(['.', 'store', 'git', 'cache', 'cache/charts', 'run.json'].map((name) => modeOf('data', name))).toEqual([
      ...['700', '700', '700', '700', '700'],
      '600',
    ]);
  });

  it('keeps what is not of Argosy as it is, and follows no link', async () => {
    const data = join(root, 'data');
    makeOldDirectory(data);
    writeFileSync(join(data, 'notes.txt'), 'mine', { mode: 0o644 });
    mkdirSync(join(root, 'elsewhere'), { mode: 0o755 });
    symlinkSync(join(root, 'elsewhere'), join(data, 'volumes'));
    await openPrivateDirectory(data);
    expect([modeOf('data/notes.txt'), modeOf('elsewhere')]).toEqual(['644', '755']);
  });

  it('is not closed where it is a folder of somebody else: without a mark, or sticky', async () => {
    chmodSync(root, 0o755);
    await openPrivateDirectory(root);
    expect(modeOf()).toBe('755');
    makeOldDirectory(root);
    chmodSync(root, 0o1777);
    await openPrivateDirectory(root);
    expect([modeOf(), modeOf('store')]).toEqual(['777', '700']);
  });
});
