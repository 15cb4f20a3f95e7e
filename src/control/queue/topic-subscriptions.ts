/** The topic of all objects of a kind; the topic of one object is its key. */
export function kindTopic({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

/** Topics by listener, and listeners by topic. */
export class TopicSubscriptions {
  readonly #byListener = new Map<string, ReadonlySet<string>>();
  readonly #byTopic = new Map<string, Set<string>>();

  /** Replaces the topics of a listener. Returns topics that now have their first listener, and those without one. */
  subscribe(
    listener: string,
    topics: ReadonlySet<string>,
  ): { readonly added: readonly string[]; readonly dropped: readonly string[] } {
    const before = this.#byListener.get(listener) ?? new Set();
    if (topics.size === 0) this.#byListener.delete(listener);
    else this.#byListener.set(listener, topics);
    const added: string[] = [];
    const dropped: string[] = [];
    for (const topic of topics) {
      if (before.has(topic)) continue;
      const listeners = this.#byTopic.get(topic);
      if (listeners === undefined) {
        this.#byTopic.set(topic, new Set([listener]));
        added.push(topic);
      } else listeners.add(listener);
    }
    for (const topic of before) {
      if (topics.has(topic)) continue;
      const listeners = this.#byTopic.get(topic);
      listeners?.delete(listener);
      if (listeners?.size !== 0) continue;
      this.#byTopic.delete(topic);
      dropped.push(topic);
    }
    return { added, dropped };
  }

  subscribers(topic: string): Iterable<string> {
    return this.#byTopic.get(topic) ?? [];
  }
}
