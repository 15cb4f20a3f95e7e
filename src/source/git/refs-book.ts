import { fingerprint, type RepositoryAccess } from '../access/repository-access.js';
import type { Address } from '../address.js';
import type { Clock } from '../clock.js';
import type { Refs } from './refs.js';

interface Page {
  refs?: Refs;
  /** When the question that `refs` answers was asked. */
  askedAt: number;
  asking?: Promise<Refs>;
}

/** What servers said last, and when. Callers with the same access share one question. */
export class RefsBook {
  readonly #pages = new Map<string, Page>();
  readonly #clock: Clock;
  readonly #ask: (address: Address, access: RepositoryAccess) => Promise<Refs>;

  constructor(clock: Clock, ask: (address: Address, access: RepositoryAccess) => Promise<Refs>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** An answer that is at most so old; the server is asked where there is none. */
  get(address: Address, access: RepositoryAccess, maxAge: number): Promise<Refs> {
    const key = `${address.url} ${fingerprint(access)}`;
    const page = this.#pages.get(key) ?? { askedAt: Number.NEGATIVE_INFINITY };
    this.#pages.set(key, page);
    if (page.refs !== undefined && this.#clock.steady() - page.askedAt < maxAge) return Promise.resolve(page.refs);
    page.asking ??= this.#look(page, address, access);
    return page.asking;
  }

  async #look(page: Page, address: Address, access: RepositoryAccess): Promise<Refs> {
    const askedAt = this.#clock.steady();
    try {
      const refs = await this.#ask(address, access);
      [page.refs, page.askedAt] = [refs, askedAt];
      return refs;
    } finally {
      delete page.asking;
    }
  }
}
