import { Fault } from '../../model/faults/index.js';
import { findNamespaceViolation, findSourceViolation } from '../../model/argo/index.js';
import type { Tree, TreeFolder, TreeNode } from '../../model/formats/index.js';
import { maskUrl, type Resolved } from '../../source/index.js';
import { checkSignatures } from '../manifests/index.js';
import { effectiveProject, type ReconcileContext } from '../delivery/index.js';
import type { GitFact } from './facts.js';

export interface GitQuery {
  /**
   * Whose credentials may be used; empty where the template leaves open which one it is, so that only those for
   * everybody count.
   */
  readonly project: string;
  /** The set itself: its name and namespace. */
  readonly set: { readonly name: string; readonly namespace: string };
  /** How old what the server said may be. */
  readonly maxAge?: number;
  /** Called before a repository is read, so that no commit comes unseen between. */
  readonly follow?: (repoURL: string) => void;
}

type Repositories = Pick<ReconcileContext, 'controlNamespace' | 'controlPlane' | 'renderer'>;

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

async function readGit(url: string, revision: string, question: GitQuery, context: Repositories): Promise<GitFact> {
  requirePermission(url, question, context);
  const { project, maxAge, follow } = question;
  const {
    controlPlane,
    renderer: { sources },
  } = context;
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

/**
 * A set reads what its project may deliver from, and nothing else: what is in a repository shows in the names of
 * Applications. Where the template leaves the project open, one that may have Applications in the set's namespace must
 * allow the repository; in the namespace of the control plane sets are the administrator's.
 */
function requirePermission(
  url: string,
  { project, set }: GitQuery,
  { controlNamespace, controlPlane }: Pick<Repositories, 'controlNamespace' | 'controlPlane'>,
): void {
  if (project === '') {
    if (set.namespace === controlNamespace) return;
    const isAllowed = controlPlane.projects().some(({ name }) => {
      const candidate = effectiveProject(name, controlPlane);
      return (
        candidate !== undefined &&
        findNamespaceViolation(candidate, set, controlNamespace) === undefined &&
        findSourceViolation(candidate, url) === undefined
      );
    });
    if (isAllowed) return;
    throw new Fault('SOURCE_REFUSED', `no project of namespace ${set.namespace} permits the repository`, {
      where: maskUrl(url),
    });
  }
  const found = effectiveProject(project, controlPlane);
  if (found === undefined) throw missingProject(project);
  if (findNamespaceViolation(found, set, controlNamespace) !== undefined)
    throw new Fault(
      'SOURCE_REFUSED',
      `application set '${set.name}' in namespace '${set.namespace}' is not permitted to use project '${project}'`,
      { where: 'spec.template.spec.project' },
    );
  if (findSourceViolation(found, url) !== undefined)
    throw new Fault('SOURCE_REFUSED', `the repository is not permitted in project '${project}'`, {
      where: maskUrl(url),
    });
}

function missingProject(project: string): Fault {
  return new Fault('VALUE_INVALID', `error getting project ${project}: it does not exist`, {
    where: 'spec.template.spec.project',
  });
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
  if (found === undefined) throw missingProject(project);
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
