import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';
import { NeedsContent } from './needs.js';
import { holds } from './read-set.js';
import { TreeReader } from './tree-reader.js';

type Shape = { readonly [name: string]: string | Shape | { readonly to: string } };

function node(value: string | Shape | { readonly to: string }): TreeNode {
  if (typeof value === 'string')
    return { kind: 'file', id: `id of ${value}`, executable: false, bytes: Buffer.from(value) };
  if (typeof value.to === 'string') return { kind: 'link', id: `link ${value.to}`, target: value.to };
  return folder(value);
}

function folder(shape: Shape): TreeFolder {
  const entries = new Map(
    Object.keys(shape)
      .sort()
      .map((name) => [name, node(shape[name]!)]),
  );
  return { kind: 'folder', id: JSON.stringify(shape), entries };
}

function tree(shape: Shape): Tree {
  return { repository: 'https://git.example/shop', commit: 'c1', root: folder(shape) };
}

function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

const SHOP: Shape = {
  app: { 'values.yaml': 'a: 1', up: { to: '../common/values.yaml' }, dir: { to: '../common' } },
  common: { 'values.yaml': 'b: 2' },
  out: { to: '../../etc/CANARY' },
  abs: { to: '/etc/CANARY' },
  loop: { to: 'loop2' },
  loop2: { to: 'loop' },
  far: { to: 'app/dir/../out' },
};

describe('TreeReader', () => {
  it('reads files, through links inside the tree too', () => {
    const reader = new TreeReader(tree(SHOP));
    expect(reader.text('app/values.yaml')).toBe('a: 1');
    expect(reader.text('./app//up')).toBe('b: 2');
    expect(reader.text('app/dir/values.yaml')).toBe('b: 2');
    expect(reader.text('app/../common/values.yaml')).toBe('b: 2');
    expect(reader.kind('app/dir')).toBe('folder');
    expect(reader.kind('app/values.yaml/x')).toBeUndefined();
    expect(reader.list('app')).toEqual([
      { name: 'dir', kind: 'folder', isLink: true },
      { name: 'up', kind: 'file', isLink: true },
      { name: 'values.yaml', kind: 'file', isLink: false },
    ]);
  });

  it.each(['../x', 'app/../../x', '/etc/passwd', 'a\0b', 'x'.repeat(5000), 'out', 'abs', 'loop', 'far', 'out/x'])(
    'refuses %j and tells no link',
    (path) => {
      const fault = faultOf(() => new TreeReader(tree(SHOP)).bytes(path));
      expect(fault.code).toBe('RENDER_PATH_ESCAPE');
      expect(`${fault.message} ${fault.where}`).not.toContain('CANARY');
    },
  );

  it('asks for all files that are not loaded at once', () => {
    const bare = tree({ a: 'x', b: 'y' });
    for (const file of bare.root.entries.values()) delete (file as { bytes?: Uint8Array }).bytes;
    const reader = new TreeReader(bare);
    try {
      reader.load(['a', 'b']);
    } catch (error) {
      expect((error as NeedsContent).needs.map((need) => (need.kind === 'file' ? need.path : ''))).toEqual(['a', 'b']);
      return;
    }
    throw new Error('nothing was asked for');
  });

  it('knows whether another commit looks the same to what was read', () => {
    const reader = new TreeReader(tree(SHOP));
    reader.text('app/up');
    reader.list('common');
    reader.exists('app/values-prod.yaml');
    const facts = reader.readSet;
    expect(holds(facts, tree(SHOP))).toBe(true);
    expect(holds(facts, tree({ ...SHOP, other: 'new' }))).toBe(true);
    expect(holds(facts, tree({ ...SHOP, common: { 'values.yaml': 'b: 3' } }))).toBe(false);
    expect(holds(facts, tree({ ...SHOP, common: { 'values.yaml': 'b: 2', 'more.yaml': '' } }))).toBe(false);
    expect(holds(facts, tree({ ...SHOP, app: { ...(SHOP['app'] as Shape), 'values-prod.yaml': '' } }))).toBe(false);
    expect(holds(facts, tree({ ...SHOP, app: { ...(SHOP['app'] as Shape), up: { to: 'values.yaml' } } }))).toBe(false);
  });
});
