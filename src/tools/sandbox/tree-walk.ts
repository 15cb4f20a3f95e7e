import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFile, TreeFolder, TreeNode } from '../../model/formats/index.js';

/** A file as the system would find it. */
export interface FoundFile {
  readonly file: TreeFile;
  /** Its own path, without links. */
  readonly path: string;
  /** The folder, without links, in which the last name of the path that led here stands. */
  readonly folder: string;
}

const MAX_LINKS = 40;

/**
 * Walks name by name, as the system does: a link on the way changes what `..` means. Undefined where nothing is there;
 * a way out of the tree is a fault, which does not tell what is there.
 */
export function findFile(tree: Tree, folder: string, target: string, from: string): FoundFile | undefined {
  const out = (): Fault =>
    new Fault('RENDER_PATH_ESCAPE', 'a path or link leads out of the repository', { where: from });
  if (target.startsWith('/') || target.includes('\0')) throw out();
  const names = [...folder.split('/'), ...target.split('/')].filter((name) => name !== '' && name !== '.').reverse();
  const real: string[] = [];
  let holder: string | undefined;
  for (let links = 0, name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === '..') {
      if (real.pop() === undefined) throw out();
      continue;
    }
    if (names.length === 0) holder ??= real.join('/');
    const next = folderAt(tree, real)?.entries.get(name);
    if (next === undefined) return undefined;
    if (next.kind !== 'link') {
      real.push(name);
      continue;
    }
    if (++links > MAX_LINKS || next.target.startsWith('/')) throw out();
    names.push(
      ...next.target
        .split('/')
        .filter((one) => one !== '' && one !== '.')
        .reverse(),
    );
  }
  const file = folderAt(tree, real.slice(0, -1))?.entries.get(real.at(-1) ?? '');
  return file?.kind === 'file' ? { file, path: real.join('/'), folder: holder ?? '' } : undefined;
}

export function folderAt({ root }: Tree, names: readonly string[]): TreeFolder | undefined {
  let node: TreeNode | undefined = root;
  for (const name of names) {
    node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
    if (node?.kind === 'submodule') node = node.folder;
  }
  return node?.kind === 'folder' ? node : undefined;
}
