import { createHash } from 'node:crypto';
import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';

/**
 * What a render saw of a tree, by path (without links on the way): the content of a file, the names in a folder, what a
 * path is or that it is nothing. A later commit of which all facts hold renders the same.
 */
export type ReadSet = ReadonlyMap<string, string>;

export const ABSENT = 'absent';
export const IS_FILE = 'is file';
export const IS_FOLDER = 'is folder';

export function fileFact(id: string): string {
  return `file ${id}`;
}

export function linkFact(id: string): string {
  return `link ${id}`;
}

export function submoduleFact(id: string): string {
  return `submodule ${id}`;
}

/** A folder with everything below it. */
export function wholeFact({ id }: TreeFolder): string {
  return `everything ${id}`;
}

const listings = new WeakMap<TreeFolder, string>();

/** Names and kinds of the entries, not what is in them: a change inside a file does not concern who only listed. */
export function listingFact(folder: TreeFolder): string {
  let fact = listings.get(folder);
  if (fact === undefined) {
    const hash = createHash('sha256');
    for (const [name, node] of folder.entries) hash.update(`${node.kind} ${name}\0`);
    fact = `folder ${hash.digest('hex')}`;
    listings.set(folder, fact);
  }
  return fact;
}

/** Whether all that was seen is still so. */
export function holds(facts: ReadSet, tree: Tree): boolean {
  for (const [path, fact] of facts) if (!isTrue(fact, nodeAt(tree.root, path))) return false;
  return true;
}

function isTrue(fact: string, node: TreeNode | undefined | 'elsewhere'): boolean {
  // A link on the way where there was none: the path leads elsewhere now.
  if (node === 'elsewhere') return false;
  if (fact === ABSENT) return node === undefined;
  if (node === undefined) return false;
  switch (node.kind) {
    case 'file':
      return fact === IS_FILE || fact === fileFact(node.id);
    case 'folder':
      return fact === IS_FOLDER || fact === listingFact(node) || fact === wholeFact(node);
    case 'link':
      return fact === linkFact(node.id);
    case 'submodule':
      return fact === submoduleFact(node.id);
    default:
      return node satisfies never;
  }
}

function folderOf(node: TreeNode): TreeFolder | undefined {
  if (node.kind === 'submodule') return node.folder;
  return node.kind === 'folder' ? node : undefined;
}

/** The node itself; links are not followed. */
function nodeAt(root: TreeFolder, path: string): TreeNode | undefined | 'elsewhere' {
  let node: TreeNode = root;
  if (path === '') return node;
  for (const name of path.split('/')) {
    if (node.kind === 'link') return 'elsewhere';
    const next: TreeNode | undefined = folderOf(node)?.entries.get(name);
    if (next === undefined) return undefined;
    node = next;
  }
  return node;
}
