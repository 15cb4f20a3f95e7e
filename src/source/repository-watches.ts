import { normalizeUrl } from '../model/formats/index.js';
import { maskUrl, type SourceDependencies } from './common/index.js';
import { sameRefs, type Refs } from './git/index.js';
import { Poller, type PollInterval } from './poller.js';

/** Whose repository is watched. */
interface WatchedRepository {
  readonly url: string;
  readonly project?: string;
}

interface RepositoryWatchesOptions {
  readonly dependencies: SourceDependencies;
  readonly interval: () => PollInterval;
  /** Equal for repositories that the server answers alike. */
  readonly keyOf: (repository: WatchedRepository) => string;
  /** Asks the server now. */
  readonly ask: (repository: WatchedRepository) => Promise<Refs>;
  /** Tells of changes of a folder on this machine; the returned function ends it. */
  readonly watchFolder: (repository: WatchedRepository, changed: () => void) => () => void;
}

interface Watcher {
  readonly repository: WatchedRepository;
  readonly changed: () => void;
  known?: Refs;
  /** It could not be read when it was asked last. */
  isFailing?: boolean;
}

/** Those for whom one question is enough. */
interface WatchGroup {
  readonly key: string;
  readonly poller: Poller;
  readonly watchers: Set<Watcher>;
  /** Why it cannot be read now. */
  failure?: string | undefined;
}

/**
 * Repositories that are asked again and again. Whoever opens one in the same way shares the question; where the
 * credentials of one of them change, it leaves the others at the next look.
 */
export class RepositoryWatches {
  readonly #options: RepositoryWatchesOptions;
  readonly #groups = new Map<string, WatchGroup>();

  constructor(options: RepositoryWatchesOptions) {
    this.#options = options;
  }

  watch(repository: WatchedRepository, changed: () => void): () => void {
    const watcher: Watcher = { repository, changed };
    this.#join(watcher);
    const unwatch = this.#options.watchFolder(repository, () => {
      this.#groupOf(watcher)?.poller.notify();
    });
    return () => {
      unwatch();
      const group = this.#groupOf(watcher);
      if (group !== undefined) this.#leave(group, watcher);
    };
  }

  /** Asks about an address now; gives how many watch it. */
  notify(url: string): number {
    let count = 0;
    for (const { watchers, poller } of [...this.#groups.values()]) {
      const found = [...watchers].filter(({ repository }) => normalizeUrl(repository.url) === normalizeUrl(url));
      count += found.length;
      if (found.length > 0) poller.notify();
    }
    return count;
  }

  close(): void {
    for (const { poller } of this.#groups.values()) poller.close();
    this.#groups.clear();
  }

  #groupOf(watcher: Watcher): WatchGroup | undefined {
    return [...this.#groups.values()].find(({ watchers }) => watchers.has(watcher));
  }

  #join(watcher: Watcher): WatchGroup {
    const key = this.#options.keyOf(watcher.repository);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.watchers.add(watcher);
      return known;
    }
    const { dependencies, interval } = this.#options;
    const group: WatchGroup = {
      key,
      watchers: new Set([watcher]),
      poller: new Poller(dependencies, { interval, poll: () => this.#look(group) }),
    };
    this.#groups.set(key, group);
    return group;
  }

  #leave(group: WatchGroup, watcher: Watcher): void {
    group.watchers.delete(watcher);
    if (group.watchers.size > 0) return;
    group.poller.close();
    this.#groups.delete(group.key);
  }

  async #look(group: WatchGroup): Promise<void> {
    for (const watcher of [...group.watchers]) {
      if (this.#options.keyOf(watcher.repository) === group.key) continue;
      this.#leave(group, watcher);
      this.#join(watcher).poller.notify();
    }
    const [first] = group.watchers;
    if (first === undefined) return;
    const { dependencies, ask } = this.#options;
    const where = maskUrl(first.repository.url);
    try {
      const refs = await ask(first.repository);
      if (group.failure !== undefined) dependencies.report(`repository ${where} can be read again`, 'info');
      group.failure = undefined;
      for (const watcher of [...group.watchers]) answer(watcher, refs);
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      if (group.failure !== failure) dependencies.report(`repository ${where} cannot be read: ${failure}`);
      group.failure = failure;
      for (const watcher of [...group.watchers]) fail(watcher);
      throw error;
    }
  }
}

function answer(watcher: Watcher, refs: Refs): void {
  const { known, isFailing } = watcher;
  watcher.known = refs;
  watcher.isFailing = false;
  // Whoever looked before the first look may have seen something older.
  if (isFailing === true || known === undefined || !sameRefs(known, refs)) watcher.changed();
}

function fail(watcher: Watcher): void {
  const isNew = watcher.isFailing !== true;
  watcher.isFailing = true;
  if (isNew) watcher.changed();
}
