import { Fault } from '../../model/faults/index.js';
import { normalizeUrl, type Tree } from '../../model/formats/index.js';
import { projectOf, sourcesOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { RepositoryRef, Sources } from '../../source/index.js';
import type { Checkout } from '../triage/index.js';

/** How many earlier commits are read, to find what a file contained before. */
const MAX_EARLIER_COMMITS = 10;
const MAX_CHECKOUTS = 50;

/** A repository at the commit that its revision means now, as its projects may read it. */
export interface CheckoutRef {
  readonly url: string;
  readonly revision: string;
  /** All of them open it in the same way. */
  readonly projects: readonly string[];
  readonly commit: string;
}

/**
 * Where applications come from, each repository and revision once for those who open it in the same way. What cannot be
 * reached is left out: its applications say why.
 */
export async function findCheckouts(applications: readonly KubeObject[], sources: Sources): Promise<CheckoutRef[]> {
  const wanted = new Map<string, Omit<CheckoutRef, 'commit'>>();
  for (const application of applications) {
    for (const source of sourcesOf(application)) {
      const [url, revision, project] = [
        textAt(source, 'repoURL'),
        textAt(source, 'targetRevision'),
        projectOf(application),
      ];
      if (url === '' || textAt(source, 'chart') !== '') continue;
      const key = `${normalizeUrl(url)} ${revision} ${sources.accessVersion({ url, project })}`;
      const { projects } = wanted.get(key) ?? { projects: [] };
      wanted.set(key, { url, revision, projects: [...new Set([...projects, project])] });
    }
  }
  const found = await Promise.all(
    [...wanted.values()].slice(0, MAX_CHECKOUTS).map(async (ref) => {
      const { revision } = ref;
      const resolved = await unlessFault(() => sources.resolve(repositoryOf(ref), revision === '' ? 'HEAD' : revision));
      return resolved === undefined ? [] : [{ ...ref, commit: resolved.commit }];
    }),
  );
  return found.flat();
}

function repositoryOf({ url, projects }: Pick<CheckoutRef, 'url' | 'projects'>): RepositoryRef {
  const [project = ''] = projects;
  return { url, project };
}

/** Their files, and what they held before. */
export async function readCheckouts(refs: readonly CheckoutRef[], sources: Sources): Promise<Checkout[]> {
  const trees = new Map<string, Promise<Tree | undefined>>();
  const treeOf = (ref: CheckoutRef, commit: string): Promise<Tree | undefined> => {
    const repository = repositoryOf(ref);
    const key = `${normalizeUrl(ref.url)} ${commit} ${sources.accessVersion(repository)}`;
    const known = trees.get(key) ?? unlessFault(() => sources.tree({ repository, commit, paths: [''] }));
    trees.set(key, known);
    return known;
  };
  const found: Checkout[] = [];
  for (const ref of refs) {
    const tree = await treeOf(ref, ref.commit);
    if (tree === undefined) continue;
    const earlier: Tree[] = [];
    const commits = await unlessFault(() => sources.earlier(repositoryOf(ref), ref.commit, MAX_EARLIER_COMMITS));
    for (const commit of commits ?? []) {
      const before = await treeOf(ref, commit);
      if (before !== undefined) earlier.push(before);
    }
    found.push({ url: ref.url, revision: ref.revision, projects: ref.projects, folder: '', tree, earlier });
  }
  return found;
}

async function unlessFault<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
