/** What a repository may cost before it is refused. */
export interface SourceLimits {
  /** How long a git server may take to say its branches and tags: one that hangs is given up soon. */
  readonly refsMilliseconds: number;
  /** How long one talk with a git server may take. */
  readonly fetchMilliseconds: number;
  /** How much one fetch may bring. */
  readonly fetchBytes: number;
  /** A fetch that brings more than this starts again without file contents, which then come on demand. */
  readonly partialBytes: number;
  /** How much a server may say about its branches and tags. */
  readonly refsBytes: number;
  /** How much memory git may take for one talk, where the system tells. */
  readonly gitMemoryBytes: number;
  /** Talks with git servers at the same time. */
  readonly fetches: number;
  /** `git cat-file` processes at the same time. */
  readonly readers: number;
  /** Packs of one mirror; more make every look-up slow and are joined. */
  readonly packs: number;
  /** The largest file that is given to a render. */
  readonly fileBytes: number;
  /** All loaded files of one tree. */
  readonly treeBytes: number;
  /** All entries of one tree, counted by path. */
  readonly entries: number;
  /** Folders inside folders. */
  readonly depth: number;
  readonly submodules: number;
  /** Submodules inside submodules. */
  readonly submoduleDepth: number;
  /** File contents kept in memory for the next tree. */
  readonly cacheBytes: number;
  /** Folder entries kept in memory for the next tree. */
  readonly cacheEntries: number;
  readonly httpMilliseconds: number;
  readonly indexBytes: number;
  readonly chartBytes: number;
  /** Manifests, tokens and lists of a registry. */
  readonly answerBytes: number;
  /** How long what a server said about its branches, tags or charts counts as true. */
  readonly freshMilliseconds: number;
  /** Between two looks at a watched repository; up to `jitterMilliseconds` more. */
  readonly pollMilliseconds: number;
  readonly jitterMilliseconds: number;
}

const MEGABYTE = 1024 * 1024;

export const SOURCE_LIMITS: SourceLimits = {
  refsMilliseconds: 30_000,
  fetchMilliseconds: 180_000,
  fetchBytes: 4096 * MEGABYTE,
  partialBytes: 128 * MEGABYTE,
  refsBytes: 64 * MEGABYTE,
  gitMemoryBytes: 2048 * MEGABYTE,
  fetches: 8,
  readers: 32,
  packs: 50,
  fileBytes: 16 * MEGABYTE,
  treeBytes: 256 * MEGABYTE,
  entries: 1_000_000,
  depth: 100,
  submodules: 50,
  submoduleDepth: 4,
  cacheBytes: 128 * MEGABYTE,
  cacheEntries: 1_000_000,
  httpMilliseconds: 60_000,
  indexBytes: 64 * MEGABYTE,
  chartBytes: 32 * MEGABYTE,
  answerBytes: 4 * MEGABYTE,
  freshMilliseconds: 120_000,
  pollMilliseconds: 120_000,
  jitterMilliseconds: 60_000,
};

/** `16 MB`, for messages. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < MEGABYTE) return `${Math.round(bytes / 1024)} KB`;
  return `${Math.round((bytes / MEGABYTE) * 10) / 10} MB`;
}
