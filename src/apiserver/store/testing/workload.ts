import { Fault, type KubeObject } from '../../../model/index.js';
import { StaleWrite, type Store, type StoreEvent } from '../store.js';
import type { Random } from './random.js';

/** `key=body` of a write, `key` alone of a deletion: enough to tell any two writes of a workload apart. */
type Change = string;

/**
 * Random writes by several writers, with a record of what was asked for and what was acknowledged. `verify` compares
 * a store that was opened again with that record: nothing acknowledged may be missing, nothing may be there that
 * nobody wrote, and revisions never fall.
 */
export class Workload {
  /** Every change that was ever asked for under a revision; more than one where an earlier one was rejected. */
  readonly #asked = new Map<number, Set<Change>>();
  /** The state and revision that the newest acknowledged write left. */
  readonly #acked = new Map<number, Change>();
  #state = new Map<string, string>();
  #revision = 1;
  #serial = 0;
  rejected = 0;

  constructor(readonly random: Random, readonly keys = 12, readonly size = 200) {}

  get acknowledged(): number {
    return this.#acked.size;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Lets `writers` make `writes` changes each. Resolves when all are acknowledged or rejected. */
  async run(store: Store, writers: number, writes: number): Promise<void> {
    const writer = async (): Promise<void> => {
      for (let done = 0; done < writes; done++) await this.#change(store);
    };
    await Promise.all(Array.from({ length: writers }, writer));
  }

  async #change(store: Store): Promise<void> {
    const key = `/registry/${this.random.pick(['pods', 'configmaps'])}/ns-${this.random.integer(2)}/n-${this.random.integer(this.keys)}`;
    const head = store.head(key);
    const removes = head !== undefined && this.random.chance(0.3);
    try {
      const build = (revision: number): KubeObject => this.#build(key, revision, removes);
      const stored = await (removes ? store.remove(key, head, build) : store.write(key, head, build));
      this.#acked.set(stored.revision, change(key, removes ? undefined : stored.body));
    } catch (error) {
      if (error instanceof StaleWrite) return;
      if (!(error instanceof Fault) || error.code !== 'STORE_WRITE') throw error;
      this.rejected++;
    }
  }

  #build(key: string, revision: number, removes: boolean): KubeObject {
    const text = 'x'.repeat(this.random.integer(this.size));
    const built: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: { name: key, resourceVersion: String(revision) }, text, serial: this.#serial++ };
    const asked = this.#asked.get(revision) ?? new Set();
    asked.add(change(key, removes ? undefined : JSON.stringify(built)));
    this.#asked.set(revision, asked);
    return built;
  }

  /** Brings the record up to the acknowledged revision; then what else the store shows must be a write in flight. */
  verify(store: Store): string[] {
    const wrong: string[] = [];
    const newest = Math.max(this.#revision, ...this.#acked.keys());
    if (store.revision < newest) wrong.push(`revision ${store.revision} is below ${newest}, which was acknowledged`);
    // Before the store's history begins, only what was acknowledged is known; a snapshot holds nothing else.
    const events = eventsAfter(store, Math.max(store.compacted, this.#revision));
    for (let revision = this.#revision + 1; revision <= store.revision; revision++) {
      const event = events.get(revision);
      const shown = event === undefined ? this.#acked.get(revision) : changeOf(event);
      const acked = this.#acked.get(revision);
      if (shown === undefined || (acked !== undefined && shown !== acked)) wrong.push(`revision ${revision} should be ${acked ?? 'a write in flight'} and is ${shown ?? 'unknown'}`);
      else if (!(this.#asked.get(revision)?.has(shown) ?? false)) wrong.push(`revision ${revision} is ${shown}, which nobody wrote`);
      else this.#apply(shown);
    }
    this.#revision = store.revision;
    this.#acked.clear();
    this.#asked.clear();
    const shown = new Map(store.range('/').map(({ key, body }) => [key, body]));
    for (const [key, body] of this.#state) if (shown.get(key) !== body) wrong.push(`${key} should be ${body} and is ${shown.get(key) ?? 'absent'}`);
    for (const key of shown.keys()) if (!this.#state.has(key)) wrong.push(`${key} is there and should not be`);
    return wrong;
  }

  #apply(shown: Change): void {
    const [key = '', body] = shown.split('=', 2);
    if (body === undefined) this.#state.delete(key);
    else this.#state.set(key, body);
  }
}

function change(key: string, body: string | undefined): Change {
  return body === undefined ? key : `${key}=${body}`;
}

function changeOf(event: StoreEvent): Change {
  return change(event.current.key, event.type === 'DELETED' ? undefined : event.current.body);
}

function eventsAfter(store: Store, revision: number): Map<number, StoreEvent> {
  const events = new Map<number, StoreEvent>();
  store.watch('/', revision, (event) => events.set(event.revision, event)).close();
  return events;
}
