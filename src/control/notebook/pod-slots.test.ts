import { describe, expect, it } from 'vitest';
import { PodSlots } from './pod-slots.js';

describe('the places of notebooks', () => {
  it('are not assigned twice before the first pod is in the cache', () => {
    const places = new PodSlots();
    const asked = ['a', 'b', 'c', 'd'].map((key) => places.acquire(key, 1, 3));
    expect(asked).toEqual([true, true, false, false]);
    expect(places.acquire('a', 1, 3)).toBe(true);
  });

  it('go to the job that waits longest', () => {
    const places = new PodSlots();
    for (const key of ['a', 'b', 'c']) places.acquire(key, 0, 1);
    expect(places.release('a')).toBe(true);
    expect(places.next()).toBe('b');
    expect(places.acquire('b', 0, 1)).toBe(true);
    expect(places.acquire('c', 0, 1)).toBe(false);
    expect([places.next(), places.next()]).toEqual(['c', undefined]);
  });

  it('are counted once: as reserved, then as the running pod', () => {
    const places = new PodSlots();
    places.acquire('a', 0, 2);
    places.release('a');
    expect(places.acquire('b', 1, 2)).toBe(true);
    expect(places.acquire('c', 1, 2)).toBe(false);
  });

  it('are not held by a deleted job', () => {
    const places = new PodSlots();
    places.acquire('a', 1, 1);
    places.forget('a');
    expect(places.next()).toBeUndefined();
    expect(places.release('a')).toBe(false);
  });
});
