import type { Change } from '../../cluster/index.js';
import type { ObjectChange } from '../cache/index.js';

/** Changes of the caches, for every subscriber. */
export class ChangeFeed {
  readonly applications = new Channel<Change>();
  readonly objects = new Channel<ObjectChange>();
  /** A project, a setting, a repository or a cluster changed. */
  readonly settings = new Channel<undefined>();
}

/** Calls every subscriber. */
export class Channel<T> {
  readonly #listeners = new Set<(change: T) => void>();

  /** The returned function ends it. */
  subscribe(listener: (change: T) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  publish(change: T): void {
    for (const listener of this.#listeners) listener(change);
  }
}
