import type { ControllerHost } from '../controller-runtime/index.js';
import type { ServedKind, WatchedObject } from '../rest/index.js';
import { kindText } from './ref-index.js';

/**
 * Watches of the kinds that stages match or look up: each starts when it is wanted and served, and again when a CRD
 * comes back.
 */
export class KindWatches {
  readonly #wanted = new Map<string, { readonly group: string; readonly kind: string }>();
  readonly #running = new Map<string, { close(): void }>();
  readonly #resources: { close(): void };

  constructor(
    readonly host: ControllerHost,
    readonly onChange: (of: string, event: WatchedObject) => void,
    /** A kind that was wanted before is served now. */
    readonly onServed: (of: string) => void,
  ) {
    this.#resources = host.client.onResources(({ group, plural }) => {
      for (const wanted of this.#wanted.values()) {
        const served = wanted.group === group ? host.client.served(group, wanted.kind) : undefined;
        if (served?.plural === plural) this.#start(served);
      }
    });
  }

  /** The kind as it is served now, watched from here on; undefined where nothing serves it yet. */
  ensureWatched(group: string, kind: string): ServedKind | undefined {
    const of = kindText(group, kind);
    const served = this.host.client.served(group, kind);
    if (this.#wanted.has(of)) return served;
    this.#wanted.set(of, { group, kind });
    if (served !== undefined) this.#start(served);
    return served;
  }

  close(): void {
    this.#resources.close();
    for (const watch of this.#running.values()) watch.close();
  }

  #start(served: ServedKind): void {
    const of = kindText(served.group, served.kind);
    this.#running.get(of)?.close();
    this.#running.set(
      of,
      this.host.client.watch(served, (event) => this.onChange(of, event)),
    );
    this.onServed(of);
  }
}
