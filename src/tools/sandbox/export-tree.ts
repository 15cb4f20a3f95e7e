import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFolder, TreeLink, TreeNode } from '../../model/formats/index.js';
import type { ToolLimits } from './limits.js';

/** What an export may still cost. */
interface Cost {
  entries: number;
  bytes: number;
}

/** Writes a tree into an empty folder. Links that leave the tree are refused, and so is content that nobody loaded. */
export async function exportTree(
  tree: Tree,
  folder: string,
  { entries, treeBytes }: Pick<ToolLimits, 'entries' | 'treeBytes'>,
): Promise<void> {
  const cost: Cost = { entries, bytes: treeBytes };
  await writeFolder(tree.root, folder, '', cost);
}

async function writeFolder(node: TreeFolder, folder: string, path: string, cost: Cost): Promise<void> {
  for (const [name, inside] of node.entries) {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
      throw new Fault('RENDER_PATH_ESCAPE', 'a file has a name that leads elsewhere', { where: path });
    if (--cost.entries < 0)
      throw new Fault('RENDER_LIMIT', 'the repository has more entries than a program may be given', { where: path });
    await writeNode(inside, join(folder, name), posix.join(path, name), cost);
  }
}

async function writeNode(node: TreeNode, target: string, path: string, cost: Cost): Promise<void> {
  switch (node.kind) {
    case 'folder':
      await mkdir(target, { mode: 0o700 });
      return writeFolder(node, target, path, cost);
    case 'submodule':
      await mkdir(target, { mode: 0o700 });
      return node.folder === undefined ? undefined : writeFolder(node.folder, target, path, cost);
    case 'link':
      return writeLink(node, target, path);
    case 'file': {
      if (node.bytes === undefined)
        throw new Fault('SOURCE_INVALID', 'the content of the file was not fetched, so no program can be run on it', {
          where: path,
        });
      cost.bytes -= node.bytes.length;
      if (cost.bytes < 0)
        throw new Fault('RENDER_LIMIT', 'the repository is larger than what a program may be given', { where: path });
      return writeFile(target, node.bytes, { mode: node.executable ? 0o700 : 0o600, flag: 'wx' });
    }
    default:
      return node satisfies never;
  }
}

/**
 * Only the first names of a link may be `..`: they start from a real folder. After another name, which may be a link
 * itself, `..` could mean anything.
 */
async function writeLink({ target: text }: TreeLink, target: string, path: string): Promise<void> {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const up = names.findIndex((name) => name !== '..');
  const isOut =
    text.startsWith('/') || text.includes('\0') || (up < 0 ? names.length : up) > path.split('/').length - 1;
  if (isOut || (up >= 0 && names.slice(up).includes('..')))
    throw new Fault('RENDER_PATH_ESCAPE', 'a link leads out of the repository', { where: path });
  await symlink(text, target);
}
