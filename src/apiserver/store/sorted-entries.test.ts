import { expect, it } from 'vitest';
import { Entry } from './entry.js';
import { SortedEntries } from './sorted-entries.js';
import { seededRandom } from './testing/random.js';

const keys = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.key);

it('gives the same ranges and counts as a sorted list, after any writes and deletes', () => {
  const random = seededRandom(1);
  const entries = new SortedEntries();
  const model = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const resource = random.pick(['pods', 'pods.x', 'secrets']);
    const key = `/registry/${resource}/ns-${random.integer(5)}/n-${random.integer(round < 10_000 ? 4000 : 50)}`;
    if (random.chance(round < 10_000 ? 0.8 : 0.3)) {
      entries.set(new Entry(key, round, '{}'));
      model.add(key);
    } else {
      entries.delete(key);
      model.delete(key);
    }
    if (round % 997 !== 0) continue;
    const sorted = [...model].sort();
    expect(keys(entries.all())).toEqual(sorted);
    for (const prefix of ['/', '/registry/pods/', '/registry/pods/ns-3/', '/registry/secrets/ns-0/n-1', '/x', '']) {
      const expected = sorted.filter((other) => other.startsWith(prefix));
      expect(entries.count(prefix)).toBe(expected.length);
      const after = random.pick([undefined, prefix, key, '/registry/pods/ns-2/', '/zzz', '']);
      const limit = random.pick([0, 1, 7, 600, Infinity]);
      expect(keys(entries.range(prefix, after, limit))).toEqual(
        expected.filter((other) => after === undefined || other > after).slice(0, limit),
      );
    }
  }
});

it('pages through everything with after and limit', () => {
  const entries = new SortedEntries();
  for (let index = 0; index < 5000; index++) entries.set(new Entry(`/registry/pods/ns/p-${index}`, index, '{}'));
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = entries.range('/registry/pods/', after, 333);
    seen.push(...keys(page));
    after = page.at(-1)?.key;
    if (page.length < 333) break;
  }
  expect(seen).toEqual(keys(entries.all()));
});
