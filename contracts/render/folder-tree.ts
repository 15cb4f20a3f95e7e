import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { compareText, type Tree, type TreeFile, type TreeFolder, type TreeNode } from '../../src/model/index.js';

/** A folder on disk as the tree that a repository with these files would give. */
export function folderTree(folder: string, repository = 'https://git.example/charts'): Tree {
  const root = readFolder(folder);
  return { repository, commit: root.id, root };
}

/** One file at the root of a tree of its own is all that some sources are. */
export function fileNode(bytes: Uint8Array, executable = false): TreeFile {
  return { kind: 'file', id: objectId('blob', bytes), executable, size: bytes.length, bytes };
}

function readFolder(folder: string): TreeFolder {
  const entries = readdirSync(folder).sort(compareText).map((name) => [name, readNode(join(folder, name))] as const);
  const text = entries.map(([name, node]) => `${node.kind} ${name}\0${node.id}\n`).join('');
  return { kind: 'folder', id: objectId('tree', Buffer.from(text)), entries: new Map(entries) };
}

function readNode(path: string): TreeNode {
  const facts = lstatSync(path);
  if (facts.isDirectory()) return readFolder(path);
  if (facts.isSymbolicLink()) {
    const target = readlinkSync(path);
    return { kind: 'link', id: objectId('blob', Buffer.from(target)), target };
  }
  return fileNode(readFileSync(path), (facts.mode & 0o111) !== 0);
}

function objectId(kind: string, bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}
