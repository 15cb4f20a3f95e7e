/**
 * source: git and chart repositories in, read-only Trees and chart archives out.
 * Takes addresses, revisions and what opens them (from `repository` and `repo-creds` Secrets), gives the commit that a
 * revision means, a Tree of a commit in memory with the content of the wanted paths, and charts by version range. Keeps
 * one bare mirror a repository under DATA/git and reads its objects; never checks out, never runs hooks, filters or
 * programs of a repository, never uses a shell or the settings of the user. Callers of one repository share one fetch.
 * Secrets never stand in an argument, an environment, a log or a fault; they go to the server that they are for and to
 * no other. Everything has a limit; what goes wrong is a Fault that names the address without credentials. Time, chance
 * and environment come in as arguments. One process works in a data directory.
 */
export {
  type Clock,
  type SourceDependencies,
  type SourceLimits,
  SOURCE_LIMITS,
  type Protocol,
  PROTOCOLS,
  maskUrl,
  parseAddress,
  type Address,
} from './common/index.js';
export {
  type RepositoryAccess,
  type GitHubApp,
  readRepositoryRegistry,
  type RepositoryRegistry,
  type RepositoryEntry,
  type RepositorySecretType,
  type RepositoryRegistrySettings,
} from './access/index.js';
export {
  openSources,
  type ImageRef,
  type Sources,
  type SourcesOptions,
  type RepositoryRef,
  type ResolveOptions,
  type Resolved,
  type TreeRequest,
  type RefNames,
} from './sources.js';
export type { Chart, ChartRequest, ListedChart } from './chart/index.js';
export type { SigningKeys } from './signature/index.js';
export type { CommitFacts } from './git/index.js';
