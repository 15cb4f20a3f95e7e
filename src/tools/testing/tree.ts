import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';

/** A file as its text, or something else. */
export type Shape =
  | string
  | { readonly text: string; readonly executable: boolean }
  | { readonly link: string }
  | { readonly unloaded: true };

/** A tree of files by path. */
export function treeOf(files: Readonly<Record<string, Shape>>): Tree {
  const root: Map<string, TreeNode> = new Map();
  for (const [path, shape] of Object.entries(files)) {
    const names = path.split('/');
    let entries = root;
    for (const name of names.slice(0, -1)) {
      const inner = (entries.get(name) as TreeFolder | undefined)?.entries ?? new Map<string, TreeNode>();
      entries.set(name, { kind: 'folder', id: name, entries: inner });
      entries = inner as Map<string, TreeNode>;
    }
    entries.set(names.at(-1) ?? '', nodeOf(shape));
  }
  return { repository: 'https://git.example/tools', commit: 'c', root: { kind: 'folder', id: 'root', entries: root } };
}

function nodeOf(shape: Shape): TreeNode {
  if (typeof shape === 'string') return { kind: 'file', id: shape, executable: false, bytes: Buffer.from(shape) };
  if ('link' in shape) return { kind: 'link', id: shape.link, target: shape.link };
  if ('unloaded' in shape) return { kind: 'file', id: 'unloaded', executable: false };
  return { kind: 'file', id: shape.text, executable: shape.executable, bytes: Buffer.from(shape.text) };
}

export function realTimer(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds);
  return () => {
    clearTimeout(timer);
  };
}
