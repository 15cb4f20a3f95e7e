import { describe, expect, it } from 'vitest';
import { StartPlaces } from './start-places.js';

describe('the places of notebooks', () => {
  it('are not given twice when many ask before the first pod is known', () => {
    const places = new StartPlaces();
    const asked = ['a', 'b', 'c', 'd'].map((key) => places.take(key, 1, 3));
    expect(asked).toEqual([true, true, false, false]);
    expect(places.take('a', 1, 3)).toBe(true);
  });

  it('go to the longest waiting when one is left', () => {
    const places = new StartPlaces();
    for (const key of ['a', 'b', 'c']) places.take(key, 0, 1);
    expect(places.leave('a')).toBe(true);
    expect(places.next()).toBe('b');
    expect(places.take('b', 0, 1)).toBe(true);
    expect(places.take('c', 0, 1)).toBe(false);
    expect([places.next(), places.next()]).toEqual(['c', undefined]);
  });

  it('are counted once: as kept, then as the pod that runs', () => {
    const places = new StartPlaces();
    places.take('a', 0, 2);
    places.leave('a');
    expect(places.take('b', 1, 2)).toBe(true);
    expect(places.take('c', 1, 2)).toBe(false);
  });

  it('are not held by a job that is gone', () => {
    const places = new StartPlaces();
    places.take('a', 1, 1);
    places.forget('a');
    expect(places.next()).toBeUndefined();
    expect(places.leave('a')).toBe(false);
  });
});
