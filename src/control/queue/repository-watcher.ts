import type { Sources } from '../../source/index.js';
import { TopicSubscriptions } from './topic-subscriptions.js';

/** One watch for each repository that applications use. */
export class RepositoryWatcher {
  readonly #sources: Sources;
  readonly #changed: (applications: readonly string[]) => void;
  readonly #subscriptions = new TopicSubscriptions();
  readonly #watches = new Map<string, () => void>();

  constructor(sources: Sources, changed: (applications: readonly string[]) => void) {
    this.#sources = sources;
    this.#changed = changed;
  }

  /** From now on the application uses exactly these repositories. */
  watch(application: string, repositories: ReadonlySet<string>): void {
    const { added, dropped } = this.#subscriptions.subscribe(application, repositories);
    for (const url of added)
      this.#watches.set(
        url,
        this.#sources.watch({ url }, () => {
          this.#changed([...this.#subscriptions.subscribers(url)]);
        }),
      );
    for (const url of dropped) {
      this.#watches.get(url)?.();
      this.#watches.delete(url);
    }
  }

  close(): void {
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
  }
}
