/** Keeps what was made from equal content, the most recently used first, up to a weight in all. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  constructor(most: number) {
    this.#maxWeight = most;
  }

  get(key: string, make: () => V, weigh: (value: V) => number = () => 1): V {
    const known = this.find(key);
    if (known !== undefined) return known;
    const value = make();
    this.add(key, value, weigh(value));
    return value;
  }

  find(key: string): V | undefined {
    const known = this.#entries.get(key);
    if (known === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known.value;
  }

  add(key: string, value: V, weight: number): void {
    if (weight > this.#maxWeight / 2) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#maxWeight) return;
      this.#entries.delete(oldest);
      this.#weight -= entry.weight;
    }
  }
}
