import { Fault } from '../../model/faults/index.js';
import type { TreeFolder, TreeNode, TreeSubmodule } from '../../model/formats/index.js';
import { maskUrl, parseAddress, type Address, type Protocol } from '../common/index.js';
import { selectedEntries, type PathSelection } from './file-store.js';
import { join } from './parse-tree.js';

/** Gives the content of a submodule with what is wanted in it. */
export type OpenSubmodule = (node: TreeSubmodule, path: string, wanted: PathSelection) => Promise<TreeFolder>;

/** The folder with the wanted submodules opened; what is not wanted is the same object as before. */
export async function openSubmodules(
  folder: TreeFolder,
  wanted: PathSelection,
  path: string,
  open: OpenSubmodule,
): Promise<TreeFolder> {
  let entries: Map<string, TreeNode> | undefined;
  for (const [name, node, below] of selectedEntries(folder, wanted)) {
    const at = join(path, name);
    let next: TreeNode = node;
    if (node.kind === 'submodule') next = { ...node, folder: await open(node, at, below) };
    else if (node.kind === 'folder' && hasSubmodule(node)) next = await openSubmodules(node, below, at, open);
    if (next === node) continue;
    entries ??= new Map(folder.entries);
    entries.set(name, next);
  }
  return entries === undefined ? folder : { ...folder, entries };
}

const withSubmodules = new WeakMap<TreeFolder, boolean>();

/** Remembered by folder, so that a repository without submodules is looked through once. */
export function hasSubmodule(folder: TreeFolder): boolean {
  let found = withSubmodules.get(folder);
  if (found === undefined) {
    found = [...folder.entries.values()].some(
      (node) => node.kind === 'submodule' || (node.kind === 'folder' && hasSubmodule(node)),
    );
    withSubmodules.set(folder, found);
  }
  return found;
}

/** Path to address, out of a `.gitmodules` file. */
export function parseModules(text: string): Map<string, string> {
  const modules = new Map<string, string>();
  let section: { path?: string; url?: string } = {};
  const add = (): void => {
    if (section.path !== undefined && section.url !== undefined)
      modules.set(section.path.replace(/(?<!\/)\/+$/, ''), section.url);
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) {
      add();
      section = {};
      continue;
    }
    const [, key, value = ''] = /^\s*(path|url)\s*=([^]*)$/i.exec(line) ?? [];
    if (key?.toLowerCase() === 'path') section.path = unquote(value.trim());
    if (key?.toLowerCase() === 'url') section.url = unquote(value.trim());
  }
  add();
  return modules;
}

function unquote(value: string): string {
  return /^".*"$/.test(value)
    ? value.slice(1, -1).replace(/\\(["\\])/g, '$1')
    : value.replace(/(?<!\s)\s+[;#][^]*$/, '');
}

/** The address of a submodule; `./` and `../` start at the repository that it is in. */
export function submoduleAddress(url: string, parent: Address, allowed: readonly Protocol[], path: string): Address {
  // A repository from elsewhere must not read what lies on this machine.
  const protocols = parent.protocol === 'file' ? allowed : allowed.filter((protocol) => protocol !== 'file');
  try {
    return parseAddress(/^\.{1,2}\//.test(url) ? resolveRelative(url, parent.url) : url, protocols);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault(
      'SOURCE_INVALID',
      `the address of the submodule "${path.slice(0, 200)}" is refused: ${cause.message}`,
      { where: maskUrl(parent.url), cause },
    );
  }
}

/** An address without its last part, where something of the server is left. */
function parentOf(base: string): string | undefined {
  const cut = base.lastIndexOf('/');
  const shorter = base.slice(0, cut);
  return cut > 0 && cut < base.length - 1 && /^[a-z]+:\/\/[^/]|^[^/][^/:]*:(?!\/?$)/i.test(shorter)
    ? shorter
    : undefined;
}

function resolveRelative(url: string, parent: string): string {
  let base = parent.replace(/(?<!\/)\/+$/, '');
  let rest = url;
  for (;;) {
    if (rest.startsWith('./')) rest = rest.slice(2);
    else if (rest.startsWith('../')) {
      const shorter = parentOf(base);
      const scp = shorter === undefined && !base.includes('://') ? /^([^:]+):[^/]+$/.exec(base)?.[1] : undefined;
      if (shorter === undefined && scp === undefined)
        throw new Fault('SOURCE_INVALID', 'the relative address leads above the server');
      base = shorter ?? `${scp ?? ''}:`;
      rest = rest.slice(3);
    } else return base.endsWith(':') ? `${base}${rest}` : `${base}/${rest}`;
  }
}
