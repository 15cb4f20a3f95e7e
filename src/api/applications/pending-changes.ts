import type { ApplicationChange } from '../../control/index.js';
import { idOf, qualifiedName } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { StreamWriter } from '../http/index.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Changes on their way to one client. A client that takes its time is not waited for: of an object that changed
 * meanwhile it gets the newest state, once. So what is kept for it is never more than one line an object.
 */
export class PendingChanges {
  readonly #pending = new Map<string, { readonly type: EventType; readonly object: KubeObject }>();
  #wake: () => void = () => undefined;

  add(change: ApplicationChange): void {
    const object = change.type === 'deleted' ? change.old : change.object;
    const key = qualifiedName(idOf(object));
    const before = this.#pending.get(key);
    const type = eventType(change, before?.type);
    // Behind the others: an object that changes all the time must not delay them.
    this.#pending.delete(key);
    this.#pending.set(key, { type, object });
    this.#wake();
  }

  /** Sends them until the client disconnects. */
  async sendTo(outlet: StreamWriter, text: (type: EventType, object: KubeObject) => string | undefined): Promise<void> {
    const { signal } = outlet;
    signal.addEventListener(
      'abort',
      () => {
        this.#wake();
      },
      { once: true },
    );
    while (!signal.aborted) {
      await this.#tellPending(outlet, text);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#pending.size > 0 || signal.aborted) resolve();
      });
    }
  }

  async #tellPending(
    outlet: StreamWriter,
    text: (type: EventType, object: KubeObject) => string | undefined,
  ): Promise<void> {
    for (const [key, { type, object }] of this.#pending) {
      if (outlet.signal.aborted) return;
      this.#pending.delete(key);
      const line = text(type, object);
      if (line !== undefined && !outlet.send(line)) await outlet.drained();
    }
  }
}

/** An object that the client has not got yet stays ADDED. */
function eventType({ type }: ApplicationChange, pending: EventType | undefined): EventType {
  if (type === 'deleted') return 'DELETED';
  return type === 'added' || pending === 'ADDED' ? 'ADDED' : 'MODIFIED';
}
