import { createHash } from 'node:crypto';
import { normalizeUrl, type Tree, type TreeFolder, type TreeNode } from '../../../model/formats/index.js';
import { TreeReader } from '../../../render/index.js';

/** The files of a repository at a revision, as somebody has them on this machine. */
export interface Checkout {
  readonly url: string;
  /** The branch or tag, where it is known; empty stands for every revision that no other checkout has. */
  readonly revision: string;
  /** Whose applications it is for; without this everybody's. */
  readonly projects?: readonly string[];
  /** The folder on this machine. */
  readonly folder: string;
  readonly tree: Tree;
  /** What it held before, the latest first. */
  readonly earlier?: readonly Tree[];
}

/** Changed files, by their checkout and path; undefined for a file that goes. */
export type Changes = ReadonlyMap<Checkout, ReadonlyMap<string, string | undefined>>;

/** The files as they are. */
export const NO_CHANGES: Changes = new Map();

/** The files that a source of a project names: what another project reads with its credentials does not count. */
export function checkoutOf(
  checkouts: readonly Checkout[],
  { url, revision, project }: { readonly url: string; readonly revision: string; readonly project: string },
): Checkout | undefined {
  const same = checkouts.filter(
    (each) => normalizeUrl(each.url) === normalizeUrl(url) && each.projects?.includes(project) !== false,
  );
  return (
    same.find((each) => each.revision === revision) ??
    same.find((each) => each.revision === '') ??
    (revision === '' || revision === 'HEAD' ? same[0] : undefined)
  );
}

/** The text of a file, with what was changed so far. */
export function fileText(checkout: Checkout, path: string, changes: Changes): string | undefined {
  const changed = changes.get(checkout);
  if (changed?.has(path) === true) return changed.get(path);
  const reader = new TreeReader(checkout.tree);
  return reader.kind(path) === 'file' ? reader.text(path) : undefined;
}

/** The same changes and one more. */
export function withChange(changes: Changes, checkout: Checkout, path: string, text: string | undefined): Changes {
  return new Map([...changes, [checkout, new Map([...(changes.get(checkout) ?? []), [path, text]])]]);
}

export function changedTree(checkout: Checkout, changes: Changes): Tree {
  let { root } = checkout.tree;
  for (const [path, text] of changes.get(checkout) ?? []) root = withFile(root, path.split('/'), text);
  return { ...checkout.tree, root };
}

function withFile(folder: TreeFolder, [name = '', ...rest]: readonly string[], text: string | undefined): TreeFolder {
  if (text === undefined && rest.length === 0)
    return {
      kind: 'folder',
      id: `${folder.id} without ${name}`,
      entries: new Map([...folder.entries].filter(([each]) => each !== name)),
    };
  const bytes = Buffer.from(text ?? '', 'utf8');
  const inner = folder.entries.get(name);
  const node: TreeNode =
    rest.length === 0
      ? {
          kind: 'file',
          id: createHash('sha256').update(bytes).digest('hex'),
          executable: false,
          size: bytes.length,
          bytes,
        }
      : withFile(inner?.kind === 'folder' ? inner : { kind: 'folder', id: '', entries: new Map() }, rest, text);
  return { kind: 'folder', id: `${folder.id} ${node.id}`, entries: new Map([...folder.entries, [name, node]]) };
}

const MAX_FILES = 20_000;

/** Paths of all YAML files. */
export function yamlFiles({ tree }: Checkout): string[] {
  const found: string[] = [];
  const walk = (folder: TreeFolder, path: string): void => {
    for (const [name, node] of folder.entries) {
      if (found.length > MAX_FILES || name === '.git' || name === 'node_modules') continue;
      if (node.kind === 'folder') walk(node, `${path}${name}/`);
      else if (node.kind === 'file' && /\.ya?ml$/.test(name)) found.push(`${path}${name}`);
    }
  };
  walk(tree.root, '');
  return found;
}
