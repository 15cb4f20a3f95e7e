import { describe, expect, it } from 'vitest';
import { lineEdits } from './line-edits.js';
import { unifiedDiff } from './unified-diff.js';

const lines = (...items: readonly string[]): string => items.map((item) => `${item}\n`).join('');
const LIVE = lines('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
const TARGET = lines('a', 'x', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'l', 'm');

describe('unified diff', () => {
  it('is empty for equal texts', () => {
    expect(unifiedDiff(LIVE, LIVE)).toBe('');
  });

  it('shows what live lacks and has too many, with three lines around', () => {
    expect(unifiedDiff(TARGET, LIVE, { names: { live: 'live', target: 'target' } })).toBe(
      [
        '--- live',
        '+++ target',
        '@@ -1,5 +1,5 @@',
        ' a',
        '-b',
        '+x',
        ' c',
        ' d',
        ' e',
        '@@ -8,5 +8,5 @@',
        ' h',
        ' i',
        ' j',
        '-k',
        ' l',
        '+m',
        '',
      ].join('\n'),
    );
  });

  it('shows objects that are only on one side', () => {
    expect(unifiedDiff('a\nb\n', '')).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(unifiedDiff('', 'a\n')).toBe('@@ -1 +0,0 @@\n-a\n');
  });

  it('is right for random texts, and as short as possible', () => {
    let state = 7;
    const random = (limit: number): number => (state = (state * 1103515245 + 12345) & 0x7fffffff) % limit;
    for (let round = 0; round < 300; round++) {
      const [before, after] = [0, 1].map(() => Array.from({ length: random(12) }, () => 'abc'.charAt(random(3))));
      const edits = lineEdits(before!, after!);
      expect(edits.filter(({ kind }) => kind !== 'new').flatMap(({ lines: part }) => part)).toEqual(before);
      expect(edits.filter(({ kind }) => kind !== 'old').flatMap(({ lines: part }) => part)).toEqual(after);
      expect(edits.filter(({ kind }) => kind === 'same').flatMap(({ lines: part }) => part)).toHaveLength(
        longestCommon(before!, after!),
      );
    }
  });

  it('texts that have nothing in common are one block, however long', () => {
    const [before, after] = ['x', 'y'].map((name) => Array.from({ length: 30_000 }, (_line, at) => `${name}${at}`));
    expect(lineEdits(before!, after!).map(({ kind }) => kind)).toEqual(['old', 'new']);
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const item of a) {
    let diagonal = 0;
    for (const [at, other] of b.entries()) {
      const above = row[at + 1]!;
      row[at + 1] = item === other ? diagonal + 1 : Math.max(above, row[at]!);
      diagonal = above;
    }
  }
  return row[b.length]!;
}
