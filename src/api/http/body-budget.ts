import { ApiError } from './api-error.js';

export interface BodyLimits {
  /** Bytes of all bodies that are being read or handled. */
  readonly altogether: number;
  /** Of those that came from one address. Behind a proxy all addresses are equal: then this is the limit of all. */
  readonly byAddress: number;
}

/** Two of the largest deliveries at once, one of them from each address. */
const LIMITS: BodyLimits = { altogether: 64 * 1024 * 1024, byAddress: 32 * 1024 * 1024 };

/** What one request holds. */
export interface BodyShare {
  /** Rejects the request whose body makes no progress, if another one needs its place. */
  readonly evicted: Promise<never>;
  /** Counts bytes that have arrived; throws if there is no place for them. */
  take(bytes: number): void;
  /** Gives everything back: the request is answered. */
  release(): void;
}

interface Held {
  readonly address: string;
  readonly evict: (error: ApiError) => void;
  bytes: number;
  /** A number that grows with each arrival. */
  lastArrival: number;
}

/**
 * How much memory the bodies of people without a session may take. Where there is no more, the body that waits longest
 * for its next bytes gives way: whoever sends half a body and stops takes no place from others.
 */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #held = new Set<Held>();
  #arrivals = 0;

  constructor(limits: BodyLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Bytes held now. */
  get size(): number {
    return sum(this.#held);
  }

  open(address: string): BodyShare {
    let evict: (error: ApiError) => void = () => undefined;
    const evicted = new Promise<never>((_, reject) => {
      evict = reject;
    });
    // It may happen when nobody waits for it any more.
    evicted.catch(() => undefined);
    const held: Held = { address, evict, bytes: 0, lastArrival: ++this.#arrivals };
    this.#held.add(held);
    return {
      evicted,
      take: (bytes) => {
        if (!this.#held.has(held)) throw tooMany();
        held.bytes += bytes;
        held.lastArrival = ++this.#arrivals;
        this.#makeRoom(held);
      },
      release: () => {
        this.#held.delete(held);
      },
    };
  }

  #makeRoom(newest: Held): void {
    const ofAddress = [...this.#held].filter(({ address }) => address === newest.address);
    const groups: readonly (readonly [Held[], number])[] = [
      [ofAddress, this.#limits.byAddress],
      [[...this.#held], this.#limits.altogether],
    ];
    for (const [group, limit] of groups) {
      for (const stalest of group.sort((a, b) => a.lastArrival - b.lastArrival)) {
        if (sum(group.filter((held) => this.#held.has(held))) <= limit) break;
        this.#held.delete(stalest);
        if (stalest === newest) throw tooMany();
        stalest.evict(tooMany());
      }
    }
  }
}

function sum(held: Iterable<Held>): number {
  let bytes = 0;
  for (const each of held) bytes += each.bytes;
  return bytes;
}

function tooMany(): ApiError {
  return new ApiError('ResourceExhausted', 'too many large requests at the same time; send it again later', {
    headers: { 'retry-after': '5', connection: 'close' },
  });
}
