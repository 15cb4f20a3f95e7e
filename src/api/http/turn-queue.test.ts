import { expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.js';

it('runs simultaneous requests one per turn of the event loop, in order', async () => {
  const turns = new TurnQueue();
  const done: string[] = [];
  const all = ['a', 'b', 'c'].map((name) => turns.next().then(() => done.push(name)));
  const between = new Promise<void>((resolve) => {
    setImmediate(() => {
      done.push('between');
      resolve();
    });
  });
  await Promise.all([...all, between]);
  expect(done).toEqual(['a', 'between', 'b', 'c']);
  await turns.next().then(() => done.push('later'));
  expect(done.at(-1)).toBe('later');
});
