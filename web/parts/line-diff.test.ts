import { expect, it } from 'vitest';
import { diffLines, withGaps } from './line-diff';

const told = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ kind, text }) => `${kind === 'same' ? ' ' : kind === 'added' ? '+' : '-'}${text}`)
    .join('\n');

it('tells the shortest change', () => {
  expect(told('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toBe(' a\n-b\n+x\n c\n d\n+e');
  expect(told('same', 'same')).toBe(' same');
  expect(told('', 'a')).toBe('-\n+a');
});

it('leaves out what is far from any change, and says how much', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const after = before.with(20, 'changed');
  expect(
    withGaps(diffLines(before.join('\n'), after.join('\n'))).map((line) =>
      line.kind === 'gap' ? `(${line.count})` : line.text,
    ),
  ).toEqual(['(17)', 'line 17', 'line 18', 'line 19', 'line 20', 'changed', 'line 21', 'line 22', 'line 23', '(16)']);
  expect(withGaps(diffLines('a\nb', 'a\nb'))).toEqual([]);
});
