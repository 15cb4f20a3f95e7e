import type { Sources } from '../../source/index.js';
import { TopicSubscriptions } from './topic-subscriptions.js';

/** One watch for each repository that a project's applications use. */
export class RepositoryWatcher {
  readonly #sources: Sources;
  readonly #changed: (applications: readonly string[]) => void;
  readonly #subscriptions = new TopicSubscriptions();
  readonly #watches = new Map<string, () => void>();

  constructor(sources: Sources, changed: (applications: readonly string[]) => void) {
    this.#sources = sources;
    this.#changed = changed;
  }

  /** From now on the application uses exactly these repositories, with the credentials of its project. */
  watch(application: string, repositories: ReadonlySet<string>, project: string): void {
    const topics = new Map([...repositories].map((url) => [`${project}\n${url}`, url]));
    const { added, dropped } = this.#subscriptions.subscribe(application, new Set(topics.keys()));
    for (const topic of added)
      this.#watches.set(
        topic,
        this.#sources.watch({ url: topics.get(topic) ?? '', project }, () => {
          this.#changed([...this.#subscriptions.subscribers(topic)]);
        }),
      );
    for (const topic of dropped) {
      this.#watches.get(topic)?.();
      this.#watches.delete(topic);
    }
  }

  forget(application: string): void {
    this.watch(application, new Set(), '');
  }

  close(): void {
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
  }
}
