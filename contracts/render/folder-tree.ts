import { createHash } from 'node:crypto';
import { folderTree as readLazily } from '../../src/cli/local/folder-tree.js';
import type { Tree, TreeFolder, TreeNode } from '../../src/model/formats/index.js';

const NO_LIMITS = { fileBytes: Infinity, treeBytes: Infinity, entries: Infinity };

/**
 * A folder on disk as the tree that a repository with these files would give: all of it in memory, with ids for its
 * content.
 */
export function folderTree(folder: string, repository = 'https://git.example/charts'): Tree {
  const root = loaded(readLazily(folder, { limits: NO_LIMITS }).root);
  return { repository, commit: root.id, root };
}

function loaded(folder: TreeFolder): TreeFolder {
  const entries = [...folder.entries].map(([name, node]) => [name, loadedNode(node)] as const);
  const text = entries.map(([name, node]) => `${node.kind} ${name}\0${node.id}\n`).join('');
  return { kind: 'folder', id: createHash('sha1').update(text).digest('hex'), entries: new Map(entries) };
}

function loadedNode(node: TreeNode): TreeNode {
  if (node.kind === 'folder') return loaded(node);
  if (node.kind !== 'file') return node;
  const { kind, id, executable, bytes = new Uint8Array() } = node;
  return { kind, id, executable, size: bytes.length, bytes };
}
