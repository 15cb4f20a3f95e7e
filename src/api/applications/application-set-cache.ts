import { APPLICATION_SETS, type ApplicationChange, type ApplicationService } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** ApplicationSets as they are, followed from the first time that somebody wants to hear of changes. */
export class ApplicationSetCache {
  readonly #desk: ApplicationService;
  #cache: ReturnType<ApplicationService['watch']> | undefined;

  constructor(desk: ApplicationService) {
    this.#desk = desk;
  }

  /** Those that are there; later changes go to the listener. The returned function ends it. */
  async follow(
    listener: (change: ApplicationChange) => void,
  ): Promise<{ readonly now: readonly KubeObject[]; readonly stop: () => void }> {
    const {
      namespace,
      settings: { applicationNamespaces },
    } = this.#desk;
    const cache = (this.#cache ??= this.#desk.watch(
      APPLICATION_SETS,
      applicationNamespaces.length === 0 ? { namespace } : {},
    ));
    await cache.waitForSync();
    return { now: cache.list(), stop: cache.subscribe(listener) };
  }

  close(): void {
    this.#cache?.close();
  }
}
