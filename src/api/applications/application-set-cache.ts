import { type ApplicationChange, type ControlServices } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATION_SETS } from '../../model/resources/index.js';

/** A watch cache of ApplicationSets, opened by the first stream. */
export class ApplicationSetCache {
  readonly #services: ControlServices;
  #cache: ReturnType<ControlServices['watch']> | undefined;

  constructor(services: ControlServices) {
    this.#services = services;
  }

  /** All sets now; later changes go to the listener until `stop`. */
  async follow(
    listener: (change: ApplicationChange) => void,
  ): Promise<{ readonly now: readonly KubeObject[]; readonly stop: () => void }> {
    const { namespace, settings } = this.#services;
    const cache = (this.#cache ??= this.#services.watch(
      APPLICATION_SETS,
      settings.current.applicationNamespaces.length === 0 ? { namespace } : {},
    ));
    await cache.waitForSync();
    return { now: cache.list(), stop: cache.subscribe(listener) };
  }

  close(): void {
    this.#cache?.close();
  }
}
