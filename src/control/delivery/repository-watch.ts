import type { Sources } from '../../source/index.js';
import { Interests } from './interests.js';

/** One watch for each repository that any application comes from. */
export class RepositoryWatch {
  readonly #sources: Sources;
  readonly #changed: (applications: readonly string[]) => void;
  readonly #interests = new Interests();
  readonly #watches = new Map<string, () => void>();

  constructor(sources: Sources, changed: (applications: readonly string[]) => void) {
    this.#sources = sources;
    this.#changed = changed;
  }

  /** From now on the application comes from exactly these repositories. */
  want(application: string, repositories: ReadonlySet<string>): void {
    const { added, dropped } = this.#interests.want(application, repositories);
    for (const url of added)
      this.#watches.set(
        url,
        this.#sources.watch({ url }, () => {
          this.#changed([...this.#interests.listeners(url)]);
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
