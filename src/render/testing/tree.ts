import { createHash } from 'node:crypto';
import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';

/** A tree from paths and texts; `{ to: '...' }` is a link. */
export type TreeShape = Readonly<Record<string, string | Uint8Array | { readonly to: string }>>;

export function treeOf(shape: TreeShape): Tree {
  const root = new Map<string, TreeNode>();
  for (const path of Object.keys(shape).sort()) {
    const names = path.split('/');
    const content = shape[path] ?? '';
    folderAt(root, names.slice(0, -1)).set(names.at(-1) ?? '', nodeOf(content));
  }
  return { repository: 'https://git.example/shop', commit: 'c1', root: folderOf(root) };
}

function folderAt(root: Map<string, TreeNode>, names: readonly string[]): Map<string, TreeNode> {
  let entries = root;
  for (const name of names) {
    const known = entries.get(name);
    const folder = known?.kind === 'folder' ? known : folderOf(new Map());
    entries.set(name, folder);
    entries = folder.entries as Map<string, TreeNode>;
  }
  return entries;
}

function folderOf(entries: Map<string, TreeNode>): TreeFolder {
  return { kind: 'folder', id: 'any', entries };
}

function nodeOf(content: string | Uint8Array | { readonly to: string }): TreeNode {
  if (typeof content === 'object' && 'to' in content)
    return { kind: 'link', id: `link ${content.to}`, target: content.to };
  const bytes = Buffer.from(content);
  return { kind: 'file', id: createHash('sha1').update(bytes).digest('hex'), executable: false, bytes };
}
