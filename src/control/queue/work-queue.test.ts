import { describe, expect, it } from 'vitest';
import { Timers } from '../testing/timers.js';
import { createWorkQueue } from './work-queue.js';
import type { WorkQueue } from '../../model/queue/index.js';

interface Reconcile {
  readonly key: string;
  readonly end: () => void;
  readonly fail: (problem: unknown) => void;
}

/** A queue whose reconciles end when the test says so. */
function openQueue(workers: number): {
  queue: WorkQueue;
  clock: Timers;
  reconciles: Reconcile[];
  reports: string[];
  order: () => string[];
  settle: () => Promise<void>;
} {
  const clock = new Timers();
  const reconciles: Reconcile[] = [];
  const reports: string[] = [];
  const queue = createWorkQueue({
    clock,
    workers,
    random: () => 0.5,
    report: (key, error) => reports.push(`${key}: ${error instanceof Error ? error.message : String(error)}`),
    reconcile: (key) =>
      new Promise<void>((end, fail) => {
        reconciles.push({ key, end, fail });
      }),
  });
  // After one has ended, the next one starts within a few turns of the event loop.
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, clock, reconciles, reports, settle, order: () => reconciles.map(({ key }) => key) };
}

/** Ends each reconcile as soon as it starts, until `count` have run. */
async function drain({ reconciles, settle }: ReturnType<typeof openQueue>, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    reconciles[index]?.end();
    await settle();
  }
}

describe('the order of reconciles', () => {
  it('is users before events before timers, each in the order they were added', async () => {
    const opened = openQueue(1);
    opened.queue.add('t1', 'timer');
    opened.queue.add('n1', 'event');
    opened.queue.add('p1', 'user');
    opened.queue.add('n2', 'event');
    opened.queue.add('p2', 'user');
    opened.queue.open();
    await drain(opened, 5);
    expect(opened.order()).toEqual(['p1', 'p2', 'n1', 'n2', 't1']);
  });

  it('has a key that is added again once, at its highest priority', async () => {
    const opened = openQueue(1);
    opened.queue.add('a', 'timer');
    opened.queue.add('b', 'event');
    opened.queue.add('a', 'user');
    opened.queue.add('a', 'timer');
    expect(opened.queue.size).toBe(2);
    opened.queue.open();
    await drain(opened, 2);
    expect(opened.order()).toEqual(['a', 'b']);
    expect(opened.queue.size).toBe(0);
  });

  it('does not let users starve a timer', async () => {
    const opened = openQueue(1);
    opened.queue.add('patient', 'timer');
    for (let index = 0; index < 20; index++) opened.queue.add(`p${index}`, 'user');
    opened.queue.open();
    await drain(opened, 9);
    expect(opened.order().indexOf('patient')).toBeGreaterThan(3);
    expect(opened.order().indexOf('patient')).toBeLessThan(9);
  });
});

describe('one key at a time', () => {
  it('is reconciled by one worker, and as many keys as there are workers', async () => {
    const opened = openQueue(2);
    opened.queue.open();
    for (const key of ['a', 'b', 'c', 'a']) opened.queue.add(key, 'event');
    expect(opened.order()).toEqual(['a', 'b']);
    opened.reconciles[1]?.end();
    await opened.settle();
    expect(opened.order()).toEqual(['a', 'b', 'c']);
  });

  it('is reconciled once more if it is added meanwhile, at the highest priority', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'event');
    opened.queue.add('b', 'event');
    for (const priority of ['timer', 'user', 'event'] as const) opened.queue.add('a', priority);
    await drain(opened, 3);
    expect(opened.order()).toEqual(['a', 'a', 'b']);
  });

  it('is not reconciled again if it is forgotten meanwhile', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'event');
    opened.queue.add('a', 'user');
    opened.queue.addAfter('a', 10, 'timer');
    opened.queue.forget('a');
    await drain(opened, 1);
    opened.clock.advance(60_000);
    expect(opened.order()).toEqual(['a']);
    expect(opened.queue.size).toBe(0);
  });
});

describe('a delay', () => {
  it('is the shorter of two', () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.addAfter('a', 100, 'timer');
    opened.queue.addAfter('a', 500, 'timer');
    opened.queue.addAfter('a', 30, 'timer');
    expect(opened.clock.pending()).toEqual([30]);
    opened.clock.advance(30);
    expect(opened.order()).toEqual(['a']);
    expect(opened.clock.pending()).toEqual([]);
  });

  it('below zero means now', () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.addAfter('a', -5, 'timer');
    opened.clock.advance(0);
    expect(opened.order()).toEqual(['a']);
  });
});

describe('failed reconciles', () => {
  const failures = async (times: number): Promise<ReturnType<typeof openQueue> & { waits: number[] }> => {
    const opened = openQueue(1);
    const waits: number[] = [];
    opened.queue.open();
    opened.queue.add('a', 'event');
    for (let index = 0; index < times; index++) {
      opened.reconciles[index]?.fail(new Error('no'));
      await opened.settle();
      waits.push(opened.clock.pending()[0] ?? -1);
      if (index + 1 < times) opened.clock.advance(waits.at(-1) ?? 0);
    }
    return { ...opened, waits };
  };

  it('are retried with backoff up to a minute, and reported with their key', async () => {
    const { waits, reports } = await failures(12);
    expect(waits.slice(0, 4)).toEqual([150, 300, 600, 1200]);
    expect(waits.slice(-2)).toEqual([45_000, 45_000]);
    expect(reports).toEqual(['a: no']);
  });

  it('start the backoff again after a success', async () => {
    const opened = await failures(5);
    opened.clock.advance(opened.waits.at(-1) ?? 0);
    opened.reconciles.at(-1)?.end();
    await opened.settle();
    opened.queue.add('a', 'event');
    opened.reconciles.at(-1)?.fail('text');
    await opened.settle();
    expect(opened.clock.pending()).toEqual([150]);
    expect(opened.reports.at(-1)).toBe('a: text');
  });

  it('are retried at once on an event, and do not delay other keys', async () => {
    const opened = await failures(8);
    opened.queue.add('b', 'timer');
    opened.queue.add('a', 'event');
    expect(opened.order().slice(-1)).toEqual(['b']);
    opened.reconciles.at(-1)?.end();
    await opened.settle();
    expect(opened.order().slice(-1)).toEqual(['a']);
  });
});

describe('opening and closing', () => {
  it('keeps keys that are added before it opens', () => {
    const opened = openQueue(1);
    opened.queue.add('a', 'event');
    expect(opened.order()).toEqual([]);
    opened.queue.open();
    expect(opened.order()).toEqual(['a']);
  });

  it('a pause waits for reconciles under way, starts none, and ends with open', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'event');
    opened.queue.add('b', 'event');
    let isOver = false;
    const paused = opened.queue.pause().then(() => {
      isOver = true;
    });
    await opened.settle();
    expect(isOver).toBe(false);
    opened.reconciles[0]?.end();
    await paused;
    expect(opened.order()).toEqual(['a']);
    opened.queue.open();
    expect(opened.order()).toEqual(['a', 'b']);
  });

  it('forgets queued keys when closed, and schedules no retry of one that fails afterwards', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'event');
    opened.queue.add('b', 'event');
    opened.queue.addAfter('c', 1000, 'timer');
    const closed = opened.queue.close();
    opened.reconciles[0]?.fail(new Error('the connection was closed'));
    await closed;
    opened.queue.add('d', 'user');
    expect(opened.clock.pending()).toEqual([]);
    expect(opened.order()).toEqual(['a']);
  });
});
