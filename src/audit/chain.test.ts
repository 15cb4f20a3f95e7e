import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_LOG } from '../model/logging/index.js';
import { AuditLog } from './audit-log.js';
import { splitLines } from './files.js';
import { findRecords } from './find-records.js';
import { keyedHash, plainHash, type LineHash } from './line-hash.js';
import type { AuditEntry } from './record.js';
import { verifyFile, verifyLines, verifyStream, type Verification } from './verify.js';

const KEY = keyedHash(Buffer.from('0123456789abcdef'));
const ROTATION = { maxBytes: 1_000_000, maxBackups: 0 };
const clock = {
  now: () => new Date(Date.UTC(2026, 0, 5)),
  after: () => () => undefined,
};
const options = (lineHash: LineHash) => ({ clock, log: NO_LOG, lineHash });

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'argosy-audit-'));
  file = join(folder, 'audit.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function entry(object: string): AuditEntry {
  return {
    source: 'api',
    user: 'ann',
    verb: 'sync',
    resource: 'applications',
    object,
    decision: 'allowed',
    result: '200',
  };
}

async function writeLog(objects: readonly string[], lineHash = plainHash(), rotation = ROTATION): Promise<void> {
  const log = await AuditLog.openFile(file, rotation, options(lineHash));
  for (const object of objects) await log.record(entry(object));
  await log.close();
}

const verify = (lineHash = plainHash()): Promise<Verification> => verifyFile(file, { lineHash });
const lines = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const write = (changed: readonly string[]): void => {
  writeFileSync(file, changed.map((line) => `${line}\n`).join(''));
};

describe.each([
  ['a chain without a key', plainHash()],
  ['a chain with a key', KEY],
])('%s', (_, lineHash) => {
  it('is whole as it was written, over restarts too', async () => {
    await writeLog(['shop/a', 'shop/b'], lineHash);
    await writeLog(['shop/c'], lineHash);
    // Each run says when it began and ended.
    expect(await verify(lineHash)).toMatchObject({ lines: 7, last: 7, notes: [] });
    expect((await verify(lineHash)).bad).toBeUndefined();
  });

  it('shows every bit that is flipped, and in which line', async () => {
    await writeLog(['a'], lineHash);
    const whole = readFileSync(file);
    const head = readFileSync(`${file}.head`, 'utf8');
    const missed: string[] = [];
    let line = 1;
    for (let at = 0; at < whole.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        const { bad } = await verifyLines(splitLines([flipped], file), file, head, { lineHash });
        if (bad?.line !== line) missed.push(`byte ${at} bit ${bit}: ${JSON.stringify(bad)} instead of line ${line}`);
      }
      if (whole[at] === 0x0a) line++;
    }
    expect(missed).toEqual([]);
  });

  it('shows every byte of its head that is changed', async () => {
    await writeLog(['a'], lineHash);
    const whole = readFileSync(`${file}.head`);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(`${file}.head`, changed);
      expect((await verify(lineHash)).bad, `byte ${at}`).toBeDefined();
    }
  });

  it('shows each line that is taken away, doubled or moved, and every length it is cut to', async () => {
    await writeLog(['a', 'b', 'c'], lineHash);
    const whole = lines();
    const bytes = readFileSync(file);
    for (const [at, line] of whole.entries()) {
      write(whole.filter((each) => each !== line));
      expect((await verify(lineHash)).bad, `without line ${at + 1}`).toBeDefined();
      write(whole.flatMap((each) => (each === line ? [each, each] : [each])));
      expect((await verify(lineHash)).bad, `line ${at + 1} twice`).toMatchObject({ line: at + 2 });
      if (at === 0) continue;
      write(whole.with(at, whole[at - 1] ?? '').with(at - 1, line));
      expect((await verify(lineHash)).bad, `line ${at + 1} before line ${at}`).toMatchObject({ line: at });
    }
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(file, bytes.subarray(0, length));
      expect((await verify(lineHash)).bad, `cut to ${length} bytes`).toBeDefined();
    }
  });

  it('keeps showing what was cut off after the log was opened again', async () => {
    await writeLog(['a', 'b'], lineHash);
    write(lines().slice(0, -2));
    await writeLog(['c'], lineHash);
    expect((await verify(lineHash)).bad).toMatchObject({
      line: 3,
      problem: 'lines 3 to 4 are missing before this one',
    });
  });

  it.each(['{', '{"seq":4,"time":"2026-01-05T00:00:00.000Z","source":"api","prev":"', '\0\0\0\0', 'x\n{"seq":', 'x\n'])(
    'names the bytes of a crash in the next line: %j',
    async (torn) => {
      await writeLog(['a'], lineHash);
      appendFileSync(file, torn);
      expect((await verify(lineHash)).bad === undefined).toBe(!torn.includes('\n'));
      await writeLog(['b'], lineHash);
      const { bad, notes } = await verify(lineHash);
      expect([bad, notes.length, notes[0]?.includes('bytes of a crash, named by line 4')]).toEqual([
        undefined,
        1,
        true,
      ]);
    },
  );

  it('goes on after a last line that only lacks its end', async () => {
    await writeLog(['a'], lineHash);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    await writeLog(['b'], lineHash);
    expect(await verify(lineHash)).toMatchObject({ lines: 6, notes: [] });
  });

  it('goes on from file to file, and says which it removed', async () => {
    await writeLog(
      Array.from({ length: 40 }, (_each, index) => `shop/${index}`),
      lineHash,
      {
        maxBytes: 2000,
        maxBackups: 3,
      },
    );
    const found = await findRecords(file, { limit: 1000 });
    expect(found.records.length).toBeLessThan(40);
    expect(found.records.some(({ verb }) => verb === 'remove')).toBe(true);
    expect((await verify(lineHash)).bad).toBeUndefined();
    const oldest = found.records.at(-1)?.seq ?? 0;
    rmSync(`${file}.${String(oldest).padStart(12, '0')}`);
    expect((await verify(lineHash)).bad?.problem).toMatch(/^lines 1 to \d+ are missing before this one$/);
  });
});

describe('a log', () => {
  it('cannot be rewritten without its key', async () => {
    await writeLog(['shop/a'], KEY);
    const forged = plainHash();
    rmSync(file);
    rmSync(`${file}.head`);
    await writeLog(['shop/other'], forged);
    expect((await verify(KEY)).bad?.problem).toBe('this log has no key');
    await expect(writeLog(['shop/b'], KEY)).rejects.toMatchObject({
      message: 'this audit log was begun without a key',
    });
  });

  it('on standard output is a chain for each start, between other lines', async () => {
    let text = '';
    for (const object of ['a', 'b']) {
      const log = await AuditLog.openStream((line) => (text += line), options(plainHash()));
      await log.record(entry(object));
      await log.close();
      text += 'controller is running\n';
    }
    const check = (given: string): Promise<Verification> =>
      verifyStream(Readable.from([Buffer.from(given)]), { lineHash: plainHash() });
    expect(await check(text)).toMatchObject({ lines: 6, notes: { length: 3 } });
    expect((await check(text.replace('"object":"b"', '"object":"c"'))).bad).toMatchObject({
      problem: 'this line was changed',
    });
  });

  it('keeps passwords, tokens and line breaks of what strangers write out of its lines', async () => {
    await writeLog([
      'https://ann:s3cret@git.example.com/a.git?token=s3cret',
      'a\n{"seq":9}\u001b[2J',
      'x'.repeat(9999),
    ]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain('\u001b');
    expect(Math.max(...lines().map((line) => line.length))).toBeLessThan(1000);
    expect(await verify()).toMatchObject({ lines: 5 });
  });

  it('counts refusals beyond the first of an address in a second', async () => {
    const log = await AuditLog.openFile(file, ROTATION, options(plainHash()));
    const refused = (address: string, object: string): AuditEntry => ({
      ...entry(object),
      address,
      decision: 'refused',
      result: 'PermissionDenied',
    });
    for (let count = 0; count < 1000; count++) await log.record(refused('192.0.2.1', 'shop/a'));
    for (let count = 0; count < 5000; count++) await log.record(refused(`192.0.2.${count % 250}`, `shop/${count}`));
    for (let count = 0; count < 100; count++) await log.record({ ...entry('shop/b'), address: '192.0.2.1' });
    await log.close();
    const { records } = await findRecords(file, { limit: 10_000 });
    expect(records.length).toBeLessThan(700);
    expect(records.filter(({ object }) => object === 'shop/b')).toHaveLength(100);
    const all = records.filter(({ decision }) => decision === 'refused');
    expect(all.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(6000);
  });

  it('finds lines by user, object, project, time and decision, the newest first', async () => {
    await writeLog(['shop/a', 'shop/b', 'shop/a']);
    const find = async (query: object): Promise<(number | undefined)[]> =>
      (await findRecords(file, { limit: 10, ...query })).records.map(({ seq }) => seq);
    expect(await find({ object: 'SHOP/A' })).toEqual([4, 2]);
    expect(await find({ object: 'shop/a', before: 4 })).toEqual([2]);
    expect(await find({ user: 'ben' })).toEqual([]);
    expect(await find({ isRefused: true })).toEqual([]);
    expect(await find({ since: new Date(Date.UTC(2027, 0, 1)) })).toEqual([]);
    expect(await findRecords(file, { limit: 2 })).toMatchObject({ next: 4 });
  });
});
