import { fingerprint, type RepositoryAccess } from '../access/index.js';
import { BoundedMap, type Address, type Clock } from '../common/index.js';
import type { Refs } from './refs.js';

interface RefsRequest {
  readonly askedAt: number;
  readonly answer: Promise<Refs>;
}

interface RefsCacheEntry {
  refs?: Refs;
  /** When the question that `refs` answers was asked. */
  askedAt: number;
  asking?: RefsRequest;
  /** Waits for `asking` to end, for those to whom that one is too old. */
  next?: Promise<Refs>;
}

const MAX_ENTRIES = 10_000;

/** What servers said last, and when. Callers with the same access share one question. */
export class RefsCache {
  readonly #entries = new BoundedMap<RefsCacheEntry>(MAX_ENTRIES);
  readonly #clock: Clock;
  readonly #requestRefs: (address: Address, access: RepositoryAccess) => Promise<Refs>;

  constructor(clock: Clock, ask: (address: Address, access: RepositoryAccess) => Promise<Refs>) {
    this.#clock = clock;
    this.#requestRefs = ask;
  }

  /** An answer to a question that was asked at most so long ago; the server is asked where there is none. */
  get(address: Address, access: RepositoryAccess, maxAge: number): Promise<Refs> {
    const key = `${address.url} ${fingerprint(access)}`;
    const page = this.#entries.get(key) ?? { askedAt: Number.NEGATIVE_INFINITY };
    this.#entries.set(key, page, 1);
    const now = this.#clock.steady();
    if (page.refs !== undefined && now - page.askedAt < maxAge) return Promise.resolve(page.refs);
    const { asking } = page;
    if (asking === undefined) return this.#refresh(page, address, access);
    if (now - asking.askedAt <= maxAge) return asking.answer;
    const again = (): Promise<Refs> => {
      delete page.next;
      return this.#refresh(page, address, access);
    };
    page.next ??= asking.answer.then(again, again);
    return page.next;
  }

  #refresh(page: RefsCacheEntry, address: Address, access: RepositoryAccess): Promise<Refs> {
    const askedAt = this.#clock.steady();
    const answer = this.#requestRefs(address, access)
      .then((refs) => {
        [page.refs, page.askedAt] = [refs, askedAt];
        return refs;
      })
      .finally(() => {
        delete page.asking;
      });
    page.asking = { askedAt, answer };
    return answer;
  }
}
