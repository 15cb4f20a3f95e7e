import type { Store, StoreEvent } from '../store.js';

/** `key=body` of a write, `key` alone of a deletion: enough to distinguish any two writes when every body is unique. */
export type Change = string;

export function changeTo(key: string, body: string | undefined): Change {
  return body === undefined ? key : `${key}=${body}`;
}

/**
 * What clients of a store got acknowledged, to be compared with a store that was opened again: nothing acknowledged may
 * be missing, nothing may be there that nobody wrote, and revisions never fall.
 */
export class WriteHistory {
  #acked = new Map<number, Change>();
  #state = new Map<string, string>();
  #revision = 1;

  /** The newest revision that was acknowledged or read from a store. */
  get revision(): number {
    return [...this.#acked.keys()].reduce((newest, revision) => Math.max(newest, revision), this.#revision);
  }

  /** Acknowledged writes since the last comparison. */
  get acknowledged(): number {
    return this.#acked.size;
  }

  acknowledge(revision: number, change: Change): void {
    this.#acked.set(revision, change);
  }

  /** What is wrong with the store. What was not acknowledged must be an event that `mayBe` a write in flight. */
  compare(store: Store, mayBe: (event: StoreEvent) => boolean): string[] {
    const wrong: string[] = [];
    if (store.revision < this.revision)
      wrong.push(`lost: revision ${store.revision} is below ${this.revision}, which was acknowledged`);
    // Before the store's history begins, only what was acknowledged is known; a snapshot holds nothing else.
    const events = eventsAfter(store, Math.max(store.compacted, this.#revision));
    for (let revision = this.#revision + 1; revision <= store.revision; revision++) {
      const acked = this.#acked.get(revision);
      const event = events.get(revision);
      const visible = event === undefined ? acked : changeOf(event);
      if (visible === undefined) wrong.push(`phantom: revision ${revision} is in a snapshot and was not acknowledged`);
      else if (acked !== undefined && visible !== acked)
        wrong.push(`lost: revision ${revision} should be ${acked} and is ${visible}`);
      else if (acked === undefined && (event === undefined || !mayBe(event)))
        wrong.push(`phantom: revision ${revision} is ${visible}, which nobody wrote`);
      else this.#apply(visible);
    }
    this.#revision = store.revision;
    this.#acked = new Map();
    return [...wrong, ...this.#compareState(store)];
  }

  #compareState(store: Store): string[] {
    const visible = new Map(store.range('/').map(({ key, body }) => [key, body]));
    const wrong: string[] = [];
    for (const [key, body] of this.#state)
      if (visible.get(key) !== body)
        wrong.push(`lost: ${key} should be ${body} and is ${visible.get(key) ?? 'absent'}`);
    for (const key of visible.keys())
      if (!this.#state.has(key)) wrong.push(`phantom: ${key} is there and should not be`);
    return wrong;
  }

  #apply(change: Change): void {
    const cut = change.indexOf('=');
    if (cut < 0) this.#state.delete(change);
    else this.#state.set(change.slice(0, cut), change.slice(cut + 1));
  }
}

export function changeOf(event: StoreEvent): Change {
  return changeTo(event.current.key, event.type === 'DELETED' ? undefined : event.current.body);
}

function eventsAfter(store: Store, revision: number): Map<number, StoreEvent> {
  const events = new Map<number, StoreEvent>();
  if (revision <= store.revision) store.watch('/', revision, (event) => events.set(event.revision, event)).close();
  return events;
}
