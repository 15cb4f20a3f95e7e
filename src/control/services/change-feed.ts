import type { Change } from '../../cluster/index.js';
import type { ObjectChange } from '../cache/index.js';

/** What happens at a desk, for everybody who wants to hear it. */
export class ChangeFeed {
  readonly applications = new Channel<Change>();
  readonly objects = new Channel<ObjectChange>();
  /** A project, a setting, a repository or a cluster changed. */
  readonly settings = new Channel<undefined>();
}

/** Tells every listener; one that fails does not keep the others from hearing. */
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
