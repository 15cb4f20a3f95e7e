import { expect, it } from 'vitest';
import { pagesOf, windowOf } from './window';

it('renders only visible rows and a few around them', () => {
  expect(windowOf(5000, { top: 54 * 1000, height: 540, rowHeight: 54, columns: 1 })).toEqual({
    first: 994,
    last: 1016,
    height: 270_000,
  });
  expect(windowOf(3, { top: 0, height: 540, rowHeight: 54, columns: 1 })).toEqual({ first: 0, last: 3, height: 162 });
  expect(windowOf(10, { top: 0, height: 100, rowHeight: 100, columns: 4, spare: 1 })).toEqual({
    first: 0,
    last: 8,
    height: 300,
  });
});

it('stays inside a list that shrank while scrolled', () => {
  const { first, last } = windowOf(20, { top: 50_000, height: 540, rowHeight: 54, columns: 1 });
  expect(first).toBeLessThanOrEqual(last);
  expect(last).toBe(20);
});

it('knows which pages contain the rows', () => {
  expect(pagesOf(95, 205, 100)).toEqual([0, 1, 2]);
  expect(pagesOf(100, 200, 100)).toEqual([1]);
  expect(pagesOf(0, 0, 100)).toEqual([]);
});
