import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';
import { maskUrl, type Resolved } from '../../source/index.js';
import { checkSignatures } from '../manifests/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import type { GitFact } from './facts.js';

export interface GitQuery {
  /**
   * Whose credentials may be used; empty where the template leaves open which one it is, so that only those for
   * everybody count.
   */
  readonly project: string;
  /** How old what the server said may be. */
  readonly maxAge?: number;
  /** Called before a repository is read, so that no commit comes unseen between. */
  readonly follow?: (repoURL: string) => void;
}

type Repositories = Pick<ReconcileContext, 'controlPlane' | 'renderer'>;

/** Reads repositories for the generators of one set, each revision once. */
export function createGitReader(
  question: GitQuery,
  context: Repositories,
): (repoURL: string, revision: string) => Promise<GitFact> {
  const read = new Map<string, Promise<GitFact>>();
  return (repoURL, revision) => {
    const key = `${repoURL}\n${revision}`;
    const known = read.get(key) ?? readGit(repoURL, revision, question, context);
    read.set(key, known);
    return known;
  };
}

async function readGit(
  url: string,
  revision: string,
  { project, maxAge, follow }: GitQuery,
  { controlPlane, renderer: { sources } }: Repositories,
): Promise<GitFact> {
  follow?.(url);
  const repository = { url, project };
  const resolved = await sources.resolve(repository, revision, maxAge === undefined ? {} : { maxAge });
  if (project !== '') await requireSignature(url, revision, project, resolved, { controlPlane, sources });
  const tree = await sources.tree({ repository, commit: resolved.commit, paths: [] });
  const { directories, files } = listing(tree);
  return {
    directories,
    files,
    read: async (paths) => {
      const loaded = paths.length === 0 ? tree : await sources.load(repository, tree, paths);
      return new Map(
        paths.flatMap((path) => {
          const bytes = bytesOf(loaded, path);
          return bytes === undefined ? [] : [[path, Buffer.from(bytes).toString('utf8')] as const];
        }),
      );
    },
  };
}

/** What decides which Applications there are must be signed as what they deliver. */
async function requireSignature(
  repoURL: string,
  targetRevision: string,
  project: string,
  { commit }: Resolved,
  { controlPlane, sources }: Pick<ReconcileContext, 'controlPlane'> & Pick<ReconcileContext['renderer'], 'sources'>,
): Promise<void> {
  const found = controlPlane.project(project);
  if (found === undefined)
    throw new Fault('VALUE_INVALID', `error getting project ${project}: it does not exist`, {
      where: 'spec.template.spec.project',
    });
  const violation = await checkSignatures(sources, {
    policies: found.signaturePolicies,
    repoURL,
    project,
    targetRevision,
    commit,
    keys: controlPlane.signingKeys,
  });
  if (violation !== undefined) throw new Fault('SOURCE_REFUSED', violation, { where: maskUrl(repoURL) });
}

/** Folders in the order of a walk, without hidden ones; a submodule counts as a folder. Links are not followed. */
function listing({ root }: Tree): { readonly directories: string[]; readonly files: string[] } {
  const directories: string[] = [];
  const files: string[] = [];
  const walk = ({ entries }: TreeFolder, prefix: string, isHidden: boolean): void => {
    for (const [name, node] of entries) {
      const path = `${prefix}${name}`;
      if (node.kind === 'file') files.push(path);
      const hides = isHidden || name.startsWith('.');
      if ((node.kind === 'folder' || node.kind === 'submodule') && !hides) directories.push(path);
      if (node.kind === 'folder') walk(node, `${path}/`, hides);
    }
  };
  walk(root, '', false);
  return { directories, files };
}

function bytesOf({ root }: Tree, path: string): Uint8Array | undefined {
  let node: TreeNode | undefined = root;
  for (const name of path.split('/')) node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
  return node?.kind === 'file' ? node.bytes : undefined;
}
