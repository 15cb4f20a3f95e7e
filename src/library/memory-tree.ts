import { createHash } from 'node:crypto';
import { Fault } from '../model/faults/index.js';
import type { Tree, TreeFolder, TreeNode } from '../model/formats/index.js';
import { compareText } from '../model/go/index.js';

/** Files by path as a tree, with the ids that git gives to equal content. */
export function memoryTree(files: Readonly<Record<string, string | Uint8Array>>): Tree {
  const root: Draft = new Map();
  for (const [path, content] of Object.entries(files)) place(root, path, content);
  return { repository: 'memory', commit: 'memory', root: folderOf(root) };
}

type Draft = Map<string, Draft | Uint8Array>;

function place(root: Draft, path: string, content: string | Uint8Array): void {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const file = names.pop();
  if (file === undefined || names.includes('..') || file === '..')
    throw new Fault('VALUE_INVALID', 'a path of the files must lead to a file inside the tree', { where: path });
  let folder = root;
  for (const name of names) {
    const next = folder.get(name) ?? new Map<string, Draft | Uint8Array>();
    if (next instanceof Uint8Array)
      throw new Fault('VALUE_INVALID', 'a path of the files is both a file and a folder', { where: path });
    folder.set(name, next);
    folder = next;
  }
  if (folder.get(file) instanceof Map)
    throw new Fault('VALUE_INVALID', 'a path of the files is both a file and a folder', { where: path });
  folder.set(file, typeof content === 'string' ? Buffer.from(content) : content);
}

function folderOf(draft: Draft): TreeFolder {
  const entries = new Map<string, TreeNode>();
  const hash = createHash('sha1');
  for (const [name, content] of [...draft].sort(([a], [b]) => compareText(a, b))) {
    const node = content instanceof Uint8Array ? fileOf(content) : folderOf(content);
    entries.set(name, node);
    hash.update(`${node.kind} ${node.id} ${name}\0`);
  }
  return { kind: 'folder', id: hash.digest('hex'), entries };
}

function fileOf(bytes: Uint8Array): TreeNode {
  const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { kind: 'file', id, executable: false, size: bytes.length, bytes };
}
