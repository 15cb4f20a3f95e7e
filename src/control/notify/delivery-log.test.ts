import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeliveryLog } from './delivery-log.js';

const id = (n: number): string => n.toString(16).padStart(32, '0');
let dir = '';
let problems: string[] = [];
const open = (path = join(dir, 'data/notified')): Promise<DeliveryLog> =>
  DeliveryLog.open(path, (problem) => {
    problems.push(problem);
  });

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'argosy-receipts-'));
  problems = [];
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('receipts', () => {
  it('are known to the next process until the application records them', async () => {
    const first = await open();
    await first.append(id(1));
    await first.append(id(2));
    // It was not closed: the process crashed.
    const second = await open();
    expect([second.has(id(1)), second.has(id(2)), second.has(id(3))]).toEqual([true, true, false]);
    await second.remove([id(1), id(2), id(3)]);
    await second.close();
    await first.close();
    expect((await open()).has(id(1))).toBe(false);
    expect(readFileSync(join(dir, 'data/notified'), 'utf8')).toBe('');
    expect(problems).toEqual([]);
  });

  it('do not grow for ever', async () => {
    const receipts = await open();
    await receipts.append(id(0));
    for (let n = 1; n <= 500; n++) {
      await receipts.append(id(n));
      await receipts.remove([id(n)]);
    }
    await receipts.close();
    expect(readFileSync(join(dir, 'data/notified'), 'utf8').split('\n').length).toBeLessThan(220);
    expect((await open()).has(id(0))).toBe(true);
  });

  it('that were truncated or are not ids are ignored', async () => {
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data/notified'), `${id(1)}\nnonsense\n${id(2).slice(5)}`);
    const receipts = await open();
    expect([receipts.has(id(1)), receipts.has('nonsense')]).toEqual([true, false]);
  });

  it('that cannot be written are reported once, and nothing waits', async () => {
    writeFileSync(join(dir, 'file'), '');
    const receipts = await open(join(dir, 'file/notified'));
    await receipts.append(id(1));
    await receipts.append(id(2));
    expect(receipts.has(id(2))).toBe(true);
    expect(problems).toEqual([
      expect.stringMatching(/^.*notified cannot be written: .*; after a crash a message may be sent twice$/),
    ]);
    expect(existsSync(join(dir, 'file/notified'))).toBe(false);
    await receipts.close();
  });
});
