import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditCounts } from './audit-log.js';
import { findRecords } from './find-records.js';
import { plainHash } from './line-hash.js';
import { verifyFile } from './verify.js';

interface Seen {
  readonly full: { readonly counts: AuditCounts; readonly grewBy: number };
  readonly lost: number;
  readonly recovered: AuditCounts;
  /** Whether the log failed after a start on a full disk. */
  readonly started: boolean;
  readonly said: readonly string[];
}

const ROOT = resolve(import.meta.dirname, '../..');
const missing = spawnSync('prlimit', ['--version']).error === undefined ? '' : ' (skipped: prlimit of util-linux)';

describe.skipIf(missing !== '')(`an audit log on a disk that is full${missing}`, () => {
  let folder = '';
  let file = '';
  let seen: Seen;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'argosy-audit-'));
    file = join(folder, 'audit.jsonl');
    const program = join(import.meta.dirname, 'testing/fill-disk.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program, file], { cwd: ROOT });
    seen = JSON.parse(stdout) as Seen;
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('stops nobody, says that it fails, and leaves no part of a line', () => {
    expect(seen.full).toMatchObject({ counts: { isFailing: true, lost: 0 }, grewBy: 0 });
    expect(seen.said.filter((line) => line.includes('cannot write the audit log'))).toHaveLength(2);
  });

  it('keeps what there is place for, and counts the rest', () => {
    expect(seen.lost).toBe(10);
    expect(seen.recovered).toMatchObject({ isFailing: false, lost: 10 });
  });

  it('begins again with a line that says from when and how many, and stays whole', async () => {
    const { records } = await findRecords(file, { limit: 20_000 });
    const oldest = [...records].reverse();
    expect(oldest.slice(0, 4).map(({ verb, object, result }) => [verb, object ?? '', result])).toEqual([
      ['start', '', 'ok'],
      ['sync', 'before', 'ok'],
      ['gap', '', 'lost'],
      ['sync', 'while full', 'ok'],
    ]);
    expect(oldest[2]).toMatchObject({ since: '2026-01-01T00:00:00.000Z', time: '2026-01-01T00:01:00.000Z', count: 10 });
    expect(oldest[2]?.message).toMatch(/: 10 entries were lost, 5000 were written late$/);
    expect((await verifyFile(file, { lineHash: plainHash() })).bad).toBeUndefined();
  });

  it('starts, and says later what it could not say then', async () => {
    expect(seen.started).toBe(true);
    const { records } = await findRecords(file, { limit: 4 });
    expect(records.map(({ verb, object }) => object ?? verb)).toEqual(['stop', 'at the start', 'start', 'gap']);
  });
});
