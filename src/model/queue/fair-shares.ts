/** Whose work it is, and what it waits for: a project and a server. */
export interface Lane {
  readonly owner: string;
  readonly host: string;
}

interface Counts {
  running: number;
  waiting: number;
}

interface Owner extends Counts {
  readonly hosts: Map<string, Counts>;
}

export interface FairSharesOptions {
  /** How much runs at the same time while nobody is short of a share. */
  readonly places: number;
  /** How much runs at most, with what others are owed; `places` by default. */
  readonly max?: number;
}

/**
 * Who is next where work may take long. While places are free anybody gets them; where others hold them all, an owner
 * still gets an equal share of them beyond their number, and each host of an owner one of that. So what hangs for one
 * delays nobody else, and work for one owner alone uses every place.
 */
export class FairShares {
  readonly #places: number;
  readonly #max: number;
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  constructor({ places, max = places }: FairSharesOptions) {
    this.#places = places;
    this.#max = Math.max(places, max);
  }

  add(lane: Lane): void {
    const { owner, host } = this.#open(lane);
    owner.waiting++;
    host.waiting++;
  }

  remove(lane: Lane): void {
    const { owner, host } = this.#open(lane);
    owner.waiting--;
    host.waiting--;
    this.#clean(lane, owner, host);
  }

  start(lane: Lane): void {
    const { owner, host } = this.#open(lane);
    for (const counts of [owner, host]) {
      counts.waiting--;
      counts.running++;
    }
    this.#running++;
    // Last in its row: of two with equally much, the other is next.
    this.#owners.delete(lane.owner);
    this.#owners.set(lane.owner, owner);
    owner.hosts.delete(lane.host);
    owner.hosts.set(lane.host, host);
  }

  end(lane: Lane): void {
    const { owner, host } = this.#open(lane);
    owner.running--;
    host.running--;
    this.#running--;
    this.#clean(lane, owner, host);
  }

  /** The lane whose work may start now. Without `isOwed` only where places are free. */
  next(isOwed = true): Lane | undefined {
    const isFree = this.#running < this.#places;
    if (!isFree && (!isOwed || this.#running >= this.#max)) return undefined;
    const share = Math.ceil(this.#places / this.#owners.size);
    for (const [owner, counts] of fewestFirst(this.#owners)) {
      const isOwedMore = counts.running < share;
      const hostShare = Math.ceil(share / counts.hosts.size);
      for (const [host, { running }] of fewestFirst(counts.hosts))
        if (isFree || isOwedMore || (running < hostShare && counts.running < 2 * this.#places)) return { owner, host };
    }
    return undefined;
  }

  #open(lane: Lane): { readonly owner: Owner; readonly host: Counts } {
    const owner = this.#owners.get(lane.owner) ?? { running: 0, waiting: 0, hosts: new Map<string, Counts>() };
    this.#owners.set(lane.owner, owner);
    const host = owner.hosts.get(lane.host) ?? { running: 0, waiting: 0 };
    owner.hosts.set(lane.host, host);
    return { owner, host };
  }

  #clean(lane: Lane, owner: Owner, host: Counts): void {
    if (host.running + host.waiting === 0) owner.hosts.delete(lane.host);
    if (owner.running + owner.waiting === 0) this.#owners.delete(lane.owner);
  }
}

/** Those that wait. */
function fewestFirst<T extends Counts>(all: ReadonlyMap<string, T>): [string, T][] {
  return [...all].filter(([, { waiting }]) => waiting > 0).sort(([, a], [, b]) => a.running - b.running);
}
