import { Fault } from '../../model/faults/index.js';
import { maskUrl, Allowance } from '../common/index.js';
import { branchesOf, defaultBranch, type Refs } from '../git/index.js';
import { parseTree } from './parse-tree.js';
import { objectsOf, type OpenRepository, type TreeLoader } from './tree-loader.js';

const MAX_BRANCHES = 500;
const MAX_TREE_BYTES = 32 * 1024 * 1024;

/** The branches on which a path exists, the default branch first. */
export async function branchesWithPath(
  loader: TreeLoader,
  repository: OpenRepository,
  refs: Refs,
  path: string,
): Promise<string[]> {
  const first = defaultBranch(refs);
  const branches = branchesOf(refs)
    .sort((a, b) => Number(b === first) - Number(a === first))
    .slice(0, MAX_BRANCHES);
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const seen = new Map<string, Promise<string | undefined>>();
  const found: string[] = [];
  for (const branch of branches) {
    const commit = refs.commits.get(`refs/heads/${branch}`);
    if (commit === undefined || !(await repository.mirror.hasCommit(commit))) continue;
    let id: string | undefined = (await loader.treeOf(repository, commit)).tree;
    for (const name of names) {
      if (id === undefined) break;
      const key: string = `${id} ${name}`;
      const next: Promise<string | undefined> = seen.get(key) ?? childOf(repository, id, name);
      seen.set(key, next);
      id = await next;
    }
    if (id !== undefined) found.push(branch);
  }
  return found;
}

async function childOf(repository: OpenRepository, folder: string, name: string): Promise<string | undefined> {
  const [object] = await repository.mirror.read([folder], new Allowance(MAX_TREE_BYTES));
  if (object?.kind !== 'tree') return undefined;
  const [tree] =
    object.bytes === undefined ? await objectsOf(repository).read([folder], new Allowance(MAX_TREE_BYTES)) : [object];
  return tree?.bytes === undefined ? undefined : parseTree(tree.bytes, '').find((entry) => entry.name === name)?.id;
}

const MAX_NAMED = 5;

/** What to tell where the path of a source is not there. */
export function pathMissing(
  path: string,
  revision: string,
  commit: string,
  url: string,
  branches: readonly string[],
): Fault {
  const revisionText = revision === '' ? 'HEAD' : revision;
  const at = commit.startsWith(revisionText)
    ? `commit ${commit.slice(0, 7)}`
    : `${revisionText} (commit ${commit.slice(0, 7)})`;
  const others = branches.filter((branch) => branch !== revision);
  const named =
    others.slice(0, MAX_NAMED).join(', ') + (others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '');
  const hint =
    others.length === 0 ? 'no branch has it' : `it exists on ${others.length === 1 ? 'branch' : 'branches'} ${named}`;
  return new Fault('PATH_MISSING', `${path}: app path does not exist at ${at}; ${hint}`, { where: maskUrl(url) });
}
