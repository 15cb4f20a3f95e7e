import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/model/faults/index.js';
import type { TreeNode } from '../../src/model/formats/index.js';
import { TreeReader } from '../../src/render/index.js';
import { tar, tarGz, type TarMember } from '../../src/render/testing/tar.js';
import { archiveTree } from '../../src/control/manifests/archive-tree.js';

const FILES: readonly TarMember[] = [
  { name: 'web/', type: '5' },
  { name: 'web/all.yaml', content: 'a: 1\n' },
  { name: './base/values.yaml', content: 'b: 2\n' },
  { name: 'web/link', type: '2', target: '../base/values.yaml' },
  { name: 'web/pipe', type: '6' },
];

const pack = (members: readonly TarMember[]): Buffer => Buffer.from(tarGz(members));

async function problemOf(archive: Buffer): Promise<string> {
  const error = await archiveTree(archive).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Fault);
  return error instanceof Fault ? error.message : '';
}

describe('a packed folder', () => {
  it('is the tree that a repository with its files would give', async () => {
    const reader = new TreeReader(await archiveTree(pack(FILES)));
    expect(reader.list('').map(({ name, kind }) => [name, kind])).toEqual([
      ['base', 'folder'],
      ['web', 'folder'],
    ]);
    expect(reader.list('web').map(({ name }) => name)).toEqual(['all.yaml', 'link']);
    expect([reader.text('web/all.yaml'), reader.text('web/link')]).toEqual(['a: 1\n', 'b: 2\n']);
  });

  it('has the same ids for the same content, in whatever order it came', async () => {
    const [one, two] = [await archiveTree(pack(FILES)), await archiveTree(pack([...FILES].reverse()))];
    expect(two.root.id).toBe(one.root.id);
    const [changed] = [await archiveTree(pack([...FILES, { name: 'web/all.yaml', content: 'a: 2\n' }]))];
    const idOf = (node: TreeNode | undefined): string | undefined => node?.id;
    expect(changed.root.id).not.toBe(one.root.id);
    expect(idOf(changed.root.entries.get('base'))).toBe(idOf(one.root.entries.get('base')));
  });

  it.each<[string, Buffer, RegExp]>([
    ['no gzip', Buffer.from('what is this'), /gzip/],
    ['gzip that ends early', pack(FILES).subarray(0, 60), /gzip/],
    ['no tar', gzipSync(Buffer.alloc(600, 7)), /invalid tar header/],
    ['a file that ends early', gzipSync(tar([{ name: 'a', size: 9999 }])), /unexpected EOF/],
    ['a way out', pack([{ name: '../a', content: 'x' }]), /illegal filepath/],
    ['an absolute path', pack([{ name: '/etc/passwd', content: 'x' }]), /illegal filepath/],
    ['a file that is a folder too', pack([{ name: 'a' }, { name: 'a/b' }]), /a file and a folder/],
    ['a bomb', gzipSync(Buffer.alloc(129 * 1024 * 1024)), /larger than/],
  ])('is refused where it is %s', async (_, archive, message) => {
    expect(await problemOf(archive)).toMatch(message);
  });

  it('keeps a link that leads out as what it is: its reader refuses it', async () => {
    const reader = new TreeReader(await archiveTree(pack([{ name: 'out', type: '2', target: '../../etc/passwd' }])));
    expect(() => reader.text('out')).toThrow(Fault);
  });
});
