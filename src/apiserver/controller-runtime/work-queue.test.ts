import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { createWorkQueue } from './work-queue.js';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('the queue of a controller of the server', () => {
  it('starts one key in a turn of the event loop, each in order and once', async () => {
    const turns: string[] = [];
    const queue = createWorkQueue(
      new ManualClock('2026-01-01T00:00:00Z'),
      (key) => {
        turns.push(key);
        return Promise.resolve();
      },
      () => undefined,
    );
    for (const key of ['a', 'b', 'a', 'c']) queue.add(key);
    expect(turns).toEqual([]);
    setImmediate(() => turns.push('somebody else'));
    await settle();
    expect(turns).toEqual(['a', 'somebody else', 'b', 'c']);
    await queue.close();
  });

  it('reconciles other keys while one is under way, and that one again afterwards if it was added', async () => {
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const queue = createWorkQueue(
      new ManualClock('2026-01-01T00:00:00Z'),
      (key) => {
        started.push(key);
        return new Promise((end) => ends.push(end));
      },
      () => undefined,
    );
    queue.add('slow');
    await settle();
    for (const key of ['slow', 'b', 'slow', 'c']) queue.add(key);
    await settle();
    expect(started).toEqual(['slow', 'b', 'c']);
    ends[0]?.();
    await settle();
    expect(started).toEqual(['slow', 'b', 'c', 'slow']);
  });

  it('has the newer of two delays', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z');
    const started: string[] = [];
    const queue = createWorkQueue(
      clock,
      (key) => {
        started.push(key);
        return Promise.resolve();
      },
      () => undefined,
    );
    queue.addAfter('a', 1000);
    queue.addAfter('a', 5000);
    await clock.advance(4999, settle);
    expect(started).toEqual([]);
    await clock.advance(1, settle);
    expect(started).toEqual(['a']);
  });

  it('retries a failed key after 50 ms, then twice as long each time, until it is closed', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z');
    const failures: string[] = [];
    let attempts = 0;
    const queue = createWorkQueue(
      clock,
      () => {
        attempts++;
        return Promise.reject(new Error('no'));
      },
      (key) => failures.push(key),
    );
    queue.add('a');
    await settle();
    for (const [wait, count] of [
      [49, 1],
      [1, 2],
      [99, 2],
      [1, 3],
    ] as const) {
      await clock.advance(wait, settle);
      expect(attempts).toBe(count);
    }
    expect(failures).toEqual(['a', 'a', 'a']);
    await queue.close();
    await clock.advance(60_000, settle);
    queue.add('b');
    await settle();
    expect(attempts).toBe(3);
  });
});
