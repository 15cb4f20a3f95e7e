import { describe, expect, it } from 'vitest';
import { Timers } from '../testing/timers.js';
import { WorkQueue } from './work-queue.js';

interface Pass {
  readonly key: string;
  readonly end: () => void;
  readonly fail: (problem: unknown) => void;
}

/** A queue whose passes end when the test says so. */
function openQueue(workers: number): {
  queue: WorkQueue;
  clock: Timers;
  passes: Pass[];
  reports: string[];
  order: () => string[];
  settle: () => Promise<void>;
} {
  const clock = new Timers();
  const passes: Pass[] = [];
  const reports: string[] = [];
  const queue = new WorkQueue({
    clock,
    workers,
    random: () => 0.5,
    report: (key, error) => reports.push(`${key}: ${error instanceof Error ? error.message : String(error)}`),
    reconcile: (key) =>
      new Promise<void>((end, fail) => {
        passes.push({ key, end, fail });
      }),
  });
  // A pass that ended hands out the next one within a few turns of the loop.
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, clock, passes, reports, settle, order: () => passes.map(({ key }) => key) };
}

/** Ends each pass as soon as it begins, until `count` passes have run. */
async function drain({ passes, settle }: ReturnType<typeof openQueue>, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    passes[index]?.end();
    await settle();
  }
}

describe('the order of passes', () => {
  it('people come before news, news before timers, each in the order they came', async () => {
    const opened = openQueue(1);
    opened.queue.add('t1', 'timer');
    opened.queue.add('n1', 'news');
    opened.queue.add('p1', 'people');
    opened.queue.add('n2', 'news');
    opened.queue.add('p2', 'people');
    opened.queue.open();
    await drain(opened, 5);
    expect(opened.order()).toEqual(['p1', 'p2', 'n1', 'n2', 't1']);
  });

  it('a key that is added again waits once, at its highest priority', async () => {
    const opened = openQueue(1);
    opened.queue.add('a', 'timer');
    opened.queue.add('b', 'news');
    opened.queue.add('a', 'people');
    opened.queue.add('a', 'timer');
    expect(opened.queue.size).toBe(2);
    opened.queue.open();
    await drain(opened, 2);
    expect(opened.order()).toEqual(['a', 'b']);
    expect(opened.queue.size).toBe(0);
  });

  it('a timer is not kept waiting for ever by people who never stop', async () => {
    const opened = openQueue(1);
    opened.queue.add('patient', 'timer');
    for (let index = 0; index < 20; index++) opened.queue.add(`p${index}`, 'people');
    opened.queue.open();
    await drain(opened, 9);
    expect(opened.order().indexOf('patient')).toBeGreaterThan(3);
    expect(opened.order().indexOf('patient')).toBeLessThan(9);
  });
});

describe('one key at a time', () => {
  it('as many keys are worked on as there are workers, and never one of them twice at once', async () => {
    const opened = openQueue(2);
    opened.queue.open();
    for (const key of ['a', 'b', 'c', 'a']) opened.queue.add(key, 'news');
    expect(opened.order()).toEqual(['a', 'b']);
    opened.passes[1]?.end();
    await opened.settle();
    expect(opened.order()).toEqual(['a', 'b', 'c']);
  });

  it('whatever comes during a pass brings one more, with the highest priority of what came', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'news');
    opened.queue.add('b', 'news');
    for (const priority of ['timer', 'people', 'news'] as const) opened.queue.add('a', priority);
    await drain(opened, 3);
    expect(opened.order()).toEqual(['a', 'a', 'b']);
  });

  it('a key that is forgotten during its pass gets no other one', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'news');
    opened.queue.add('a', 'people');
    opened.queue.addAfter('a', 10, 'timer');
    opened.queue.forget('a');
    await drain(opened, 1);
    opened.clock.advance(60_000);
    expect(opened.order()).toEqual(['a']);
    expect(opened.queue.size).toBe(0);
  });
});

describe('later', () => {
  it('the earlier of two times counts', () => {
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

  it('a time that is over means now', () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.addAfter('a', -5, 'timer');
    opened.clock.advance(0);
    expect(opened.order()).toEqual(['a']);
  });
});

describe('passes that fail', () => {
  const failures = async (times: number): Promise<ReturnType<typeof openQueue> & { waits: number[] }> => {
    const opened = openQueue(1);
    const waits: number[] = [];
    opened.queue.open();
    opened.queue.add('a', 'news');
    for (let index = 0; index < times; index++) {
      opened.passes[index]?.fail(new Error('no'));
      await opened.settle();
      waits.push(opened.clock.pending()[0] ?? -1);
      if (index + 1 < times) opened.clock.advance(waits.at(-1) ?? 0);
    }
    return { ...opened, waits };
  };

  it('come again later and later, a minute at most, and are reported with their key', async () => {
    const { waits, reports } = await failures(12);
    expect(waits.slice(0, 4)).toEqual([150, 300, 600, 1200]);
    expect(waits.slice(-2)).toEqual([45_000, 45_000]);
    expect(reports).toEqual(['a: no']);
  });

  it('start from the beginning after one that did not fail', async () => {
    const opened = await failures(5);
    opened.clock.advance(opened.waits.at(-1) ?? 0);
    opened.passes.at(-1)?.end();
    await opened.settle();
    opened.queue.add('a', 'news');
    opened.passes.at(-1)?.fail('text');
    await opened.settle();
    expect(opened.clock.pending()).toEqual([150]);
    expect(opened.reports.at(-1)).toBe('a: text');
  });

  it('do not wait when there is news, and do not hold up others', async () => {
    const opened = await failures(8);
    opened.queue.add('b', 'timer');
    opened.queue.add('a', 'news');
    expect(opened.order().slice(-1)).toEqual(['b']);
    opened.passes.at(-1)?.end();
    await opened.settle();
    expect(opened.order().slice(-1)).toEqual(['a']);
  });
});

describe('opening and closing', () => {
  it('what is added before it opens is not lost', () => {
    const opened = openQueue(1);
    opened.queue.add('a', 'news');
    expect(opened.order()).toEqual([]);
    opened.queue.open();
    expect(opened.order()).toEqual(['a']);
  });

  it('a pause lets the passes under way end, hands out nothing, and can be over again', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'news');
    opened.queue.add('b', 'news');
    let isOver = false;
    const paused = opened.queue.pause().then(() => {
      isOver = true;
    });
    await opened.settle();
    expect(isOver).toBe(false);
    opened.passes[0]?.end();
    await paused;
    expect(opened.order()).toEqual(['a']);
    opened.queue.open();
    expect(opened.order()).toEqual(['a', 'b']);
  });

  it('closed, it forgets what waits and plans nothing more, even for a pass that fails afterwards', async () => {
    const opened = openQueue(1);
    opened.queue.open();
    opened.queue.add('a', 'news');
    opened.queue.add('b', 'news');
    opened.queue.addAfter('c', 1000, 'timer');
    const closed = opened.queue.close();
    opened.passes[0]?.fail(new Error('the connection was closed'));
    await closed;
    opened.queue.add('d', 'people');
    expect(opened.clock.pending()).toEqual([]);
    expect(opened.order()).toEqual(['a']);
  });
});
