import { describe, expect, it } from 'vitest';
import { parseRefs } from './refs.js';
import { findRevision } from './revision.js';

const id = (n: number): string => n.toString(16).padStart(40, '0');
const refs = parseRefs(
  [
    `ref: refs/heads/main\tHEAD`,
    `${id(1)}\tHEAD`,
    `${id(1)}\trefs/heads/main`,
    `${id(2)}\trefs/heads/feature/x`,
    `${id(3)}\trefs/heads/v1.0.0`,
    `${id(4)}\trefs/heads/both`,
    `${id(15)}\trefs/heads/2.x`,
    `${id(5)}\trefs/pull/7/head`,
    `${id(6)}\trefs/tags/both`,
    `${id(7)}\trefs/tags/v1.0.0`,
    `${id(8)}\trefs/tags/v1.0.0^{}`,
    `${id(9)}\trefs/tags/v1.2.0`,
    `${id(10)}\trefs/tags/v1.3.0-rc.1`,
    `${id(11)}\trefs/tags/not-a-version`,
    `${id(12)}\trefs/tags/app-1.4.0`,
    `${id(13)}\trefs/tags/app-1.5.0`,
    `${id(14)}\trefs/tags/other-9.0.0`,
    '',
  ].join('\n'),
  'https://host/app',
);

describe('revisions', () => {
  it.each<[string, number, string]>([
    ['', 1, 'refs/heads/main'],
    ['HEAD', 1, 'refs/heads/main'],
    ['main', 1, 'refs/heads/main'],
    ['feature/x', 2, 'refs/heads/feature/x'],
    ['refs/heads/feature/x', 2, 'refs/heads/feature/x'],
    ['both', 4, 'refs/heads/both'],
    ['refs/tags/both', 6, 'refs/tags/both'],
    ['refs/tags/v1.0.0', 8, 'refs/tags/v1.0.0'],
    ['tags/v1.0.0', 8, 'refs/tags/v1.0.0'],
    ['v1.0.0', 3, 'refs/heads/v1.0.0'],
    ['v1.2.0', 9, 'refs/tags/v1.2.0'],
    ['1.x', 9, 'refs/tags/v1.2.0'],
    ['^1.0.0', 9, 'refs/tags/v1.2.0'],
    ['>=1.0.0 <1.2.0', 8, 'refs/tags/v1.0.0'],
    ['~1.3.0-0', 10, 'refs/tags/v1.3.0-rc.1'],
    ['*', 9, 'refs/tags/v1.2.0'],
    ['refs/pull/7/head', 5, 'refs/pull/7/head'],
    ['pull/7/head', 5, 'refs/pull/7/head'],
    ['not-a-version', 11, 'refs/tags/not-a-version'],
    ['2.x', 15, 'refs/heads/2.x'],
  ])('%j is commit %i', (revision, commit, ref) => {
    expect(findRevision(revision, refs, { where: '' })).toEqual({ kind: 'commit', commit: id(commit), ref });
  });

  it('reads ranges after a prefix of tags', () => {
    expect(findRevision('1.x', refs, { tagPrefix: 'app-', where: '' })).toMatchObject({
      commit: id(13),
      ref: 'refs/tags/app-1.5.0',
    });
    expect(findRevision('1.4.0', refs, { tagPrefix: 'app-', where: '' })).toMatchObject({ commit: id(12) });
    expect(findRevision('main', refs, { tagPrefix: 'app-', where: '' })).toMatchObject({ commit: id(1) });
  });

  it('takes seven digits or more for the beginning of a commit', () => {
    expect(findRevision('ABCDEF1', refs, { where: '' })).toEqual({ kind: 'short', prefix: 'abcdef1' });
    expect(findRevision('A'.repeat(40), refs, { where: '' })).toEqual({
      kind: 'commit',
      commit: 'a'.repeat(40),
      ref: '',
    });
  });

  it.each([
    ['abcdef', /no branch, tag or commit has that name; there is main/],
    ['featur/x', /there is main, feature\/x/],
    ['^7.0.0', /no tag is in the range; there is/],
    ['-x', /starts with a dash/],
    ['a\nb', /control characters/],
    ['x'.repeat(2000), /too long/],
  ])('says what there is instead of %j', (revision, message) => {
    expect(() => findRevision(revision, refs, { where: 'https://host/app' })).toThrow(message);
  });
});
