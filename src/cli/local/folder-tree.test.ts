import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { TreeReader } from '../../render/index.js';
import { folderTree, isInside, repositoryRoot, type FolderTreeOptions } from './folder-tree.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-folder-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
let folder = '';
let count = 0;
beforeEach(() => {
  folder = join(root, String(++count));
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'a/x.txt'), 'inside');
  writeFileSync(join(root, 'secret'), 'CANARY');
});

const read = (options: FolderTreeOptions = {}): TreeReader => new TreeReader(folderTree(folder, options));

function codeOf(act: () => unknown): string {
  try {
    act();
    return 'none';
  } catch (error) {
    expect(String(error)).not.toContain('CANARY');
    return error instanceof Fault ? error.code : String(error);
  }
}

describe('a folder as a tree', () => {
  it('has its files, folders and links, and not git itself', () => {
    symlinkSync('../a/x.txt', join(folder, 'a/link'));
    chmodSync(join(folder, 'a/x.txt'), 0o755);
    const reader = read();
    expect(reader.list('').map(({ name, kind }) => [name, kind])).toEqual([['a', 'folder']]);
    expect(reader.list('a').map(({ name, kind, isLink }) => [name, kind, isLink])).toEqual([
      ['b', 'folder', false],
      ['link', 'file', true],
      ['x.txt', 'file', false],
    ]);
    expect(reader.text('a/link')).toBe('inside');
    const a = reader.tree.root.entries.get('a');
    expect(a?.kind === 'folder' ? a.entries.get('x.txt') : undefined).toMatchObject({ executable: true, size: 6 });
    expect(reader.id('a/x.txt')).toBe(reader.id('a/link'));
  });

  it('reads files only on demand', () => {
    writeFileSync(join(folder, 'large.bin'), Buffer.alloc(1000));
    expect(read({ limits: { fileBytes: 100 } }).text('a/x.txt')).toBe('inside');
  });

  it.each([['../secret'], ['../../secret'], ['b/../../../secret'], ['/etc/hostname'], ['a/out']])(
    'refuses a link to %s',
    (target) => {
      symlinkSync('../../secret', join(folder, 'a/out'));
      const link = target.startsWith('b/') || target.startsWith('../..') ? 'a/link' : 'link';
      symlinkSync(target, join(folder, link));
      const reader = read();
      expect(codeOf(() => reader.text(link))).toBe('RENDER_PATH_ESCAPE');
    },
  );

  it('rejects links out of the boundary, but not out of the folder', () => {
    symlinkSync('../x.txt', join(folder, 'a/b/near'));
    expect(codeOf(() => read({ boundary: join(folder, 'a/b') }).text('a/b/near'))).toBe('RENDER_PATH_ESCAPE');
    expect(read({ boundary: join(folder, 'a') }).text('a/b/near')).toBe('inside');
  });

  it('detects link cycles', () => {
    symlinkSync('two', join(folder, 'one'));
    symlinkSync('one', join(folder, 'two'));
    expect(codeOf(() => read().text('one'))).toBe('RENDER_PATH_ESCAPE');
  });

  it('has limits', () => {
    writeFileSync(join(folder, 'a/y.txt'), 'more than that');
    expect(codeOf(() => read({ limits: { fileBytes: 5 } }).text('a/x.txt'))).toBe('RENDER_LIMIT');
    const reader = read({ limits: { treeBytes: 10 } });
    expect(reader.text('a/x.txt')).toBe('inside');
    expect(codeOf(() => reader.text('a/y.txt'))).toBe('RENDER_LIMIT');
    expect(codeOf(() => read({ limits: { entries: 2 } }).list('a'))).toBe('RENDER_LIMIT');
  });

  it('names the missing folder', () => {
    expect(codeOf(() => folderTree(join(folder, 'absent')))).toBe('FILE_UNREADABLE');
  });
});

it('the repository is found above a folder', () => {
  expect(repositoryRoot(join(folder, 'a/b'))).toBe(folder);
});

it.each([
  ['/a/b', '/a', true],
  ['/a', '/a', true],
  ['/ab', '/a', false],
  ['/', '/a', false],
  ['/a/..b', '/a', true],
  ['/x', '/', true],
])('%s inside %s: %s', (path, inside, expected) => {
  expect(isInside(path, inside)).toBe(expected);
});
