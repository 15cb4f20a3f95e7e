import type { Entry } from './entry.js';

const MAX_CHUNK = 512;

/**
 * Entries by key: found at once by key, and in key order by prefix. Order is kept in chunks, so a write moves at most
 * one.
 */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>();
  readonly #chunks: Entry[][] = [];

  get(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  set(entry: Entry): void {
    this.#byKey.set(entry.key, entry);
    const at = this.#chunkOf(entry.key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    const position = lowerBound(chunk, entry.key);
    chunk.splice(position, chunk[position]?.key === entry.key ? 1 : 0, entry);
    if (chunk.length > MAX_CHUNK) {
      // Keys often arrive in order: then a nearly full left chunk wastes the least.
      const keep = position === chunk.length - 1 ? MAX_CHUNK - 16 : MAX_CHUNK >> 1;
      this.#chunks.splice(at + 1, 0, chunk.splice(keep));
    }
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    chunk.splice(lowerBound(chunk, key), 1);
    const next = this.#chunks[at + 1];
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    else if (next !== undefined && chunk.length + next.length < MAX_CHUNK >> 1)
      this.#chunks.splice(at, 2, [...chunk, ...next]);
  }

  /** Entries whose key starts with `prefix` and comes after `after`, at most `limit`. */
  range(prefix: string, after: string | undefined, limit: number): Entry[] {
    const found: Entry[] = [];
    const skips = after !== undefined && after >= prefix;
    const seek = skips ? after : prefix;
    const isBefore = (entry: Entry): boolean => entry.key < seek || (skips && entry.key === seek);
    const isWithin = (entry: Entry): boolean => isBefore(entry) || entry.key.startsWith(prefix);
    for (let at = this.#chunkOf(seek); at < this.#chunks.length && found.length < limit; at++) {
      const chunk = this.#chunks[at] ?? [];
      const from = partition(chunk, isBefore);
      const last = chunk.at(-1);
      const whole = last !== undefined && isWithin(last);
      const to = Math.min(from + limit - found.length, whole ? chunk.length : partition(chunk, isWithin));
      for (let position = from; position < to; position++) {
        const entry = chunk[position];
        if (entry !== undefined) found.push(entry);
      }
      if (!whole) break;
    }
    return found;
  }

  count(prefix: string): number {
    return this.#rank((key) => key < prefix || key.startsWith(prefix)) - this.#rank((key) => key < prefix);
  }

  /** Every entry in key order, as a list of its own that later writes do not change. */
  all(): Entry[] {
    return this.#chunks.flat();
  }

  /** How many keys are before the first one that is not `before`. */
  #rank(before: (key: string) => boolean): number {
    let rank = 0;
    for (const chunk of this.#chunks) {
      const last = chunk.at(-1);
      if (last !== undefined && before(last.key)) rank += chunk.length;
      else return rank + partition(chunk, (entry) => before(entry.key));
    }
    return rank;
  }

  /** Index of the chunk that holds the key or would hold it. */
  #chunkOf(key: string): number {
    return Math.max(0, partition(this.#chunks, (chunk) => (chunk[0]?.key ?? '') <= key) - 1);
  }
}

function lowerBound(chunk: readonly Entry[], key: string): number {
  return partition(chunk, (entry) => entry.key < key);
}

/** How many items at the front satisfy `before`, which holds for a front part and for nothing behind it. */
function partition<T>(items: readonly T[], before: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && before(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
