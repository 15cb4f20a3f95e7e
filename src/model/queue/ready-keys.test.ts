import { describe, expect, it } from 'vitest';
import { ReadyKeys } from './ready-keys.js';

function takeAll(keys: ReadyKeys): string[] {
  const taken: string[] = [];
  for (let key = keys.take(); key !== undefined; key = keys.take()) taken.push(key);
  return taken;
}

describe('keys that are ready', () => {
  it('are taken in the order they were added, each once', () => {
    const keys = new ReadyKeys();
    for (const key of ['a', 'b', 'a', 'c', 'b']) keys.add(key, 'event');
    expect(keys.size).toBe(3);
    expect(takeAll(keys)).toEqual(['a', 'b', 'c']);
    expect(keys.size).toBe(0);
  });

  it('keep their age when they get a higher priority, and never get a lower one', () => {
    const keys = new ReadyKeys();
    keys.add('old', 'timer');
    keys.add('first', 'user');
    keys.add('second', 'user');
    keys.add('old', 'user');
    keys.add('first', 'timer');
    expect(takeAll(keys)).toEqual(['old', 'first', 'second']);
  });

  it('are gone after delete, and new after another add', () => {
    const keys = new ReadyKeys();
    for (const key of ['a', 'b', 'c']) keys.add(key, 'event');
    keys.delete('a');
    keys.add('a', 'event');
    keys.delete('b');
    expect(takeAll(keys)).toEqual(['c', 'a']);
    keys.add('d', 'event');
    keys.clear();
    expect([keys.size, keys.take()]).toEqual([0, undefined]);
  });

  it('are taken oldest first every eighth time, so that no priority starves', () => {
    const keys = new ReadyKeys();
    keys.add('timer', 'timer');
    for (let index = 0; index < 20; index++) keys.add(`user ${index}`, 'user');
    expect(takeAll(keys).indexOf('timer')).toBe(7);
  });

  it('are taken in order however many there are', () => {
    const keys = new ReadyKeys();
    const names = Array.from({ length: 20_000 }, (_, index) => String(index));
    for (const name of names) keys.add(name, 'timer');
    expect(takeAll(keys).join()).toBe(names.join());
  });
});
