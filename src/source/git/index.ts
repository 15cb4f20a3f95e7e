/**
 * git: bare mirrors read with `git cat-file`. Takes a repository and a revision; gives a commit and its objects. Never
 * checks out, never runs hooks, filters or a shell; leftovers of a killed process are cleaned up at the next start.
 */
export { readCommit, type CommitFacts } from './commit-facts.js';
export { firstParents } from './first-parents.js';
export { FileRepositoryGate } from './file-repository.js';
export { openGitFolder } from './git-folder.js';
export { GitHost, type OnGitRequest } from './git-host.js';
export type { Mirror } from './mirror.js';
export { MirrorStore } from './mirror-store.js';
export type { GitObject } from './object-reader.js';
export { RefsCache } from './refs-cache.js';
export { branchesOf, defaultBranch, sameRefs, tagsOf, type Refs } from './refs.js';
export { checkRevision, commitIdOf, findRevision } from './revision.js';
export { runGit, type GitResult } from './run-git.js';
export { findShort } from './short-revision.js';
export { watchFolder } from './watch-folder.js';
