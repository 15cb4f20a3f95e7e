import { Semaphore } from '../common/index.js';
import type { ObjectReader } from './object-reader.js';

/** At most so many `git cat-file` processes; the one that was not used for longest is closed for a new one. */
export class ReaderPool {
  readonly #readers = new Map<string, { readonly reader: ObjectReader; users: number }>();
  readonly #maxReaders: number;
  readonly #gate: Semaphore;
  readonly #open: (objects: string) => ObjectReader;

  constructor(most: number, open: (objects: string) => ObjectReader) {
    this.#maxReaders = most;
    this.#gate = new Semaphore(most);
    this.#open = open;
  }

  get size(): number {
    return this.#readers.size;
  }

  /**
   * Lends the reader of a folder of objects. As many users as readers at a time, so an idle one is always there to
   * close.
   */
  use<T>(objects: string, work: (reader: ObjectReader) => Promise<T>): Promise<T> {
    return this.#gate.run(async () => {
      const entry = this.#readers.get(objects) ?? this.#add(objects);
      // Last in the map is most recently used.
      this.#readers.delete(objects);
      this.#readers.set(objects, entry);
      entry.users++;
      try {
        return await work(entry.reader);
      } finally {
        entry.users--;
      }
    });
  }

  drop(objects: string): void {
    this.#readers.get(objects)?.reader.close();
    this.#readers.delete(objects);
  }

  close(): void {
    for (const { reader } of this.#readers.values()) reader.close();
    this.#readers.clear();
  }

  #add(objects: string): { readonly reader: ObjectReader; users: number } {
    for (const [other, { users }] of this.#readers) {
      if (this.#readers.size < this.#maxReaders) break;
      if (users === 0) this.drop(other);
    }
    return { reader: this.#open(objects), users: 0 };
  }
}
