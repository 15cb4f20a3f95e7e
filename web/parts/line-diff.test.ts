import { expect, it } from 'vitest';
import { diffLines, withGaps } from './line-diff';

const SIGNS = { same: ' ', added: '+', removed: '-' };

const diffText = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ kind, text }) => `${SIGNS[kind]}${text}`)
    .join('\n');

it('gives the shortest diff', () => {
  expect(diffText('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toBe(' a\n-b\n+x\n c\n d\n+e');
  expect(diffText('same', 'same')).toBe(' same');
  expect(diffText('', 'a')).toBe('-\n+a');
});

it('leaves out unchanged lines far from a change, with their count', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const after = before.with(20, 'changed');
  expect(
    withGaps(diffLines(before.join('\n'), after.join('\n'))).map((line) =>
      line.kind === 'gap' ? `(${line.count})` : line.text,
    ),
  ).toEqual(['(17)', 'line 17', 'line 18', 'line 19', 'line 20', 'changed', 'line 21', 'line 22', 'line 23', '(16)']);
  expect(withGaps(diffLines('a\nb', 'a\nb'))).toEqual([]);
});
