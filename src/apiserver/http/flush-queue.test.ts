import { expect, it } from 'vitest';
import { FlushQueue } from './flush-queue.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('flushes all pending streams once when the turn ends', async () => {
  const flushed: string[] = [];
  const queue = new FlushQueue(() => 0);
  for (const name of ['a', 'b']) queue.add({ flush: () => flushed.push(name) });
  expect(flushed).toEqual([]);
  await turn();
  expect(flushed).toEqual(['a', 'b']);
  queue.add({ flush: () => flushed.push('c') });
  await turn();
  expect(flushed).toEqual(['a', 'b', 'c']);
});

it('lets output gather after a round that took long', async () => {
  let now = 0;
  let flushes = 0;
  const queue = new FlushQueue(() => now);
  queue.add({
    flush: () => {
      now += 10;
    },
  });
  await turn();
  const rested = new Promise<void>((resolve) =>
    queue.add({
      flush: () => {
        flushes++;
        resolve();
      },
    }),
  );
  await turn();
  expect(flushes).toBe(0);
  await rested;
  now += 1000;
  queue.add({
    flush: () => {
      flushes++;
    },
  });
  await turn();
  expect(flushes).toBe(2);
});
