import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { fileMatcher } from './path-glob.js';

const FILES = ['a.yaml', 'apps/a.yaml', 'apps/b/c.yaml', 'apps/b/c.json', 'apps/b9/x-1.yaml', 'apps/{b}.yaml'];

describe('patterns of git.files', () => {
  it.each([
    ['pathspec', 'apps/a.yaml', ['apps/a.yaml']],
    ['pathspec', 'apps/b', ['apps/b/c.yaml', 'apps/b/c.json']],
    ['pathspec', 'apps/', ['apps/a.yaml', 'apps/b/c.yaml', 'apps/b/c.json', 'apps/b9/x-1.yaml', 'apps/{b}.yaml']],
    ['pathspec', 'apps/*.yaml', ['apps/a.yaml', 'apps/b/c.yaml', 'apps/b9/x-1.yaml', 'apps/{b}.yaml']],
    ['pathspec', '**/c.yaml', ['apps/b/c.yaml']],
    ['pathspec', 'apps/b[0-9a]/x-?.yaml', ['apps/b9/x-1.yaml']],
    ['pathspec', 'apps/{*.yaml', ['apps/{b}.yaml']],
    ['pathspec', 'apps?a.yaml', ['apps/a.yaml']],
    ['pathspec', '[!a]*', []],
    ['doublestar', 'apps/*.yaml', ['apps/a.yaml', 'apps/{b}.yaml']],
    ['doublestar', '**/*.yaml', ['a.yaml', 'apps/a.yaml', 'apps/b/c.yaml', 'apps/b9/x-1.yaml', 'apps/{b}.yaml']],
    ['doublestar', 'apps/{b,b9}/*.{yaml,json}', ['apps/b/c.yaml', 'apps/b/c.json', 'apps/b9/x-1.yaml']],
    ['doublestar', 'apps/\\{b\\}.yaml', ['apps/{b}.yaml']],
    ['doublestar', 'apps', []],
  ] as const)('%s %s', (style, pattern, expected) => {
    expect(FILES.filter(fileMatcher(pattern, style))).toEqual(expected);
  });

  it('refuse what they cannot read, since no file at all would be an answer', () => {
    for (const pattern of ['a[b', 'a[z-a]']) expect(() => fileMatcher(pattern, 'doublestar')).toThrow(Fault);
    expect(() => fileMatcher('{a', 'doublestar')).toThrow(Fault);
  });
});
