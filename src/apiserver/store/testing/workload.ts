import { Fault } from '../../../model/faults/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { StaleWrite, type Store } from '../store.js';
import { changeOf, changeTo, WriteHistory, type Change } from './write-history.js';
import type { Random } from './random.js';

/** Random writes by several writers, and a record of what was acknowledged. */
export class Workload {
  /** Every change that was ever asked for under a revision; more than one where an earlier one was rejected. */
  readonly #asked = new Map<number, Set<Change>>();
  readonly ledger = new WriteHistory();
  #serial = 0;
  rejected = 0;

  constructor(
    readonly random: Random,
    readonly keys = 12,
    readonly size = 200,
  ) {}

  /** Lets `writers` make `writes` changes each. Resolves when all are acknowledged or rejected. */
  async run(store: Store, writers: number, writes: number): Promise<void> {
    const writer = async (): Promise<void> => {
      for (let done = 0; done < writes; done++) await this.#change(store);
    };
    await Promise.all(Array.from({ length: writers }, writer));
  }

  /** What is wrong with a store that was opened after this workload. */
  verify(store: Store): string[] {
    const wrong = this.ledger.compare(store, (event) => this.#asked.get(event.revision)?.has(changeOf(event)) ?? false);
    this.#asked.clear();
    return wrong;
  }

  async #change(store: Store): Promise<void> {
    const resource = this.random.pick(['pods', 'configmaps']);
    const key = `/registry/${resource}/ns-${this.random.integer(2)}/n-${this.random.integer(this.keys)}`;
    const head = store.head(key);
    const removes = head !== undefined && this.random.chance(0.3);
    try {
      const build = (revision: number): KubeObject => this.#build(key, revision, removes);
      const stored = await (removes ? store.remove(key, head, build) : store.write(key, head, build));
      this.ledger.acknowledge(stored.revision, changeTo(key, removes ? undefined : stored.body));
    } catch (error) {
      if (error instanceof StaleWrite) return;
      if (!(error instanceof Fault) || error.code !== 'STORE_WRITE') throw error;
      this.rejected++;
    }
  }

  #build(key: string, revision: number, removes: boolean): KubeObject {
    const text = 'x'.repeat(this.random.integer(this.size));
    const built: KubeObject = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: key, resourceVersion: String(revision) },
      text,
      serial: this.#serial++,
    };
    const asked = this.#asked.get(revision) ?? new Set();
    asked.add(changeTo(key, removes ? undefined : JSON.stringify(built)));
    this.#asked.set(revision, asked);
    return built;
  }
}
