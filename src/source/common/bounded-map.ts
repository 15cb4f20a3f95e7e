/** Keeps what was used last, up to a weight. */
export class BoundedMap<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  constructor(most: number) {
    this.#maxWeight = most;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, weight: number): void {
    this.delete(key);
    if (weight > this.#maxWeight / 4) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
