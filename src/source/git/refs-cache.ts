import { fingerprint, type RepositoryAccess } from '../access/index.js';
import { BoundedMap, type Address, type Clock } from '../common/index.js';
import type { Refs } from './refs.js';

interface RefsRequest {
  readonly askedAt: number;
  readonly project: string;
  /** It is its turn at the server. */
  isStarted: boolean;
  answer: Promise<Refs>;
}

type AskServer = (address: Address, access: RepositoryAccess, started: () => void) => Promise<Refs>;

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
  readonly #requestRefs: AskServer;

  constructor(clock: Clock, ask: AskServer) {
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
    // A question that waits for the turn of another project may wait long.
    if (asking === undefined || !(asking.isStarted || asking.project === (access.project ?? '')))
      return this.#refresh(page, address, access);
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
    const request: RefsRequest = {
      askedAt,
      project: access.project ?? '',
      isStarted: false,
      answer: new Promise<never>(() => undefined),
    };
    page.asking = request;
    request.answer = this.#requestRefs(address, access, () => {
      request.isStarted = true;
    })
      .then((refs) => {
        if (askedAt >= page.askedAt) [page.refs, page.askedAt] = [refs, askedAt];
        return refs;
      })
      .finally(() => {
        if (page.asking === request) delete page.asking;
      });
    return request.answer;
  }
}
