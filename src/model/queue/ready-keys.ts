/** Changes by users come before events of the cluster, events before timers. */
const PRIORITIES = ['user', 'event', 'timer'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Each time this many keys were taken, the one that waits longest goes first, so that none starves. */
const FAIRNESS_INTERVAL = 8;
/** A lane is cut when so many of its entries were taken, and no fewer than are left: nothing is moved for every key. */
const MIN_CUT = 1024;

interface Entry {
  readonly key: string;
  readonly priority: Priority;
  /** The number of the key's first addition. */
  readonly order: number;
}

/** Entries of one priority, oldest first; those before `head` were taken. */
interface Lane {
  entries: Entry[];
  head: number;
}

/** Keys that wait for a worker, by priority and then in the order they were added. */
export class ReadyKeys {
  /** An entry of a lane counts only if it is the one here: others were taken, deleted or given a higher priority. */
  readonly #entries = new Map<string, Entry>();
  readonly #lanes: Readonly<Record<Priority, Lane>> = {
    user: { entries: [], head: 0 },
    event: { entries: [], head: 0 },
    timer: { entries: [], head: 0 },
  };
  #added = 0;
  #taken = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Adds the key once; one that is known may get a higher priority, and keeps its age. */
  add(key: string, priority: Priority): void {
    const known = this.#entries.get(key);
    if (known !== undefined && higherPriority(known.priority, priority) === known.priority) return;
    const entry = { key, priority, order: known?.order ?? this.#added++ };
    this.#entries.set(key, entry);
    const { entries, head } = this.#lanes[priority];
    let at = entries.length;
    while (at > head && (entries[at - 1]?.order ?? 0) > entry.order) at--;
    if (at === entries.length) entries.push(entry);
    else entries.splice(at, 0, entry);
  }

  take(): string | undefined {
    const isOldest = ++this.#taken % FAIRNESS_INTERVAL === 0;
    let next: Entry | undefined;
    for (const priority of PRIORITIES) {
      if (next !== undefined && !isOldest) break;
      const first = this.#first(this.#lanes[priority]);
      if (first !== undefined && (next === undefined || first.order < next.order)) next = first;
    }
    if (next !== undefined) this.#entries.delete(next.key);
    return next?.key;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #first(lane: Lane): Entry | undefined {
    for (; lane.head < lane.entries.length; lane.head++) {
      const entry = lane.entries[lane.head];
      if (entry === undefined || this.#entries.get(entry.key) !== entry) continue;
      if (lane.head >= MIN_CUT && lane.head * 2 >= lane.entries.length) {
        lane.entries = lane.entries.slice(lane.head);
        lane.head = 0;
      }
      return entry;
    }
    if (lane.head > 0) {
      lane.entries = [];
      lane.head = 0;
    }
    return undefined;
  }
}

export function higherPriority(a: Priority | undefined, b: Priority): Priority {
  return a !== undefined && PRIORITIES.indexOf(a) <= PRIORITIES.indexOf(b) ? a : b;
}
