import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';
import { FairShares } from './fair-shares.js';
import { WorkQueue } from './work-queue.js';

const never = (): Promise<never> => new Promise<never>(() => undefined);

/** Starts everything that may start; gives how many of each owner run. */
function start(shares: FairShares): Record<string, number> {
  const running: Record<string, number> = {};
  for (let lane = shares.next(); lane !== undefined; lane = shares.next()) {
    shares.start(lane);
    running[lane.owner] = (running[lane.owner] ?? 0) + 1;
  }
  return running;
}

function addMany(shares: FairShares, count: number, owner: string, hostOf = (_: number): string => 'h'): void {
  for (let index = 0; index < count; index++) shares.add({ owner, host: hostOf(index) });
}

describe('fair shares', () => {
  it('give every place to one owner alone', () => {
    const shares = new FairShares({ places: 8, max: 64 });
    addMany(shares, 24, 'a');
    expect(start(shares)).toEqual({ a: 8 });
  });

  it('divide places among those who come together', () => {
    const shares = new FairShares({ places: 8 });
    addMany(shares, 24, 'a');
    addMany(shares, 24, 'b');
    expect(start(shares)).toEqual({ a: 4, b: 4 });
  });

  it('give an owner its share at once where another holds every place', () => {
    const shares = new FairShares({ places: 8, max: 64 });
    addMany(shares, 24, 'a');
    start(shares);
    addMany(shares, 24, 'b');
    expect(start(shares)).toEqual({ b: 4 });
    addMany(shares, 1, 'c');
    expect(start(shares)).toEqual({ c: 1 });
  });

  it('give another host of the same owner its share, and never all to an owner with many hosts', () => {
    const shares = new FairShares({ places: 8, max: 64 });
    addMany(shares, 24, 'a');
    start(shares);
    addMany(shares, 1, 'a', () => 'other');
    expect(start(shares)).toEqual({ a: 1 });
    addMany(shares, 1000, 'a', String);
    start(shares);
    addMany(shares, 1, 'b');
    expect(start(shares)).toEqual({ b: 1 });
  });
});

describe('a fair queue', () => {
  it('runs the work of one owner while all that another one started hangs', async () => {
    const queue = new FairQueue({ places: 2, max: 16 });
    for (let index = 0; index < 24; index++) void queue.run({ owner: 'a', host: 'h' }, never);
    const done: number[] = [];
    await Promise.all(
      [1, 2, 3].map((index) => queue.run({ owner: 'b', host: 'h' }, () => Promise.resolve(done.push(index)))),
    );
    expect(done).toHaveLength(3);
  });

  it('with patience gives nobody more than the places while work is short', async () => {
    const lapse: (() => void)[] = [];
    const after = (_: number, callback: () => void): (() => void) => {
      lapse.push(callback);
      return () => undefined;
    };
    const queue = new FairQueue({ places: 1, max: 4, patience: { milliseconds: 1, after } });
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const add = (owner: string): Promise<void> =>
      queue.run({ owner, host: '' }, () => {
        started.push(owner);
        return new Promise((resolve) => ends.push(resolve));
      });
    const all = ['a', 'a', 'b', 'b', 'c'].map(add);
    await Promise.resolve();
    expect(started).toEqual(['a']);
    // The first one takes long: each of the others gets its share, and the same owner no more.
    lapse[0]?.();
    await Promise.resolve();
    expect(started).toEqual(['a', 'b', 'c']);
    // It ends: what is left waits for places again, as long as nothing takes long.
    ends[0]?.();
    await all[0];
    expect(started).toEqual(['a', 'b', 'c']);
  });
});

describe('a work queue with lanes', () => {
  it('reconciles the keys of one owner while the workers wait for those of another', async () => {
    const done: string[] = [];
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const queue = new WorkQueue({
      clock: { steady: () => 0, after: () => () => undefined },
      backoff: () => 1,
      onFailure: () => undefined,
      workers: 4,
      maxWorkers: 16,
      laneOf: (key) => ({ owner: key.slice(0, 1), host: '' }),
      reconcile: (key) => {
        if (key.startsWith('a')) return never();
        done.push(key);
        if (done.length === 10) finish();
        return Promise.resolve();
      },
    });
    for (let index = 0; index < 40; index++) queue.add(`a${index}`, 'user');
    queue.open();
    for (let index = 0; index < 10; index++) queue.add(`b${index}`, 'timer');
    await finished;
    expect(done).toHaveLength(10);
  });
});
