import { MAX_WAITING, PasswordsBusy } from '../passwords/passwords.js';
import type { LoginFailures, SessionStore } from './session-store.js';

/** As Argo CD: five wrong passwords lock an account until nobody has tried for five minutes. */
const MAX_FAILURES = 5;
const WINDOW = 300_000;
/** Half of all places: one address leaves room for others. */
const MAX_WAITING_OF_ADDRESS = MAX_WAITING / 2;

/**
 * Counts wrong passwords of accounts that there are, so that strangers who try thousands of names neither fill the
 * memory nor push an account out of it. A name that nobody has needs no count: it is refused as a locked one is.
 */
export class Throttle {
  readonly #sessions: SessionStore;
  readonly #now: () => number;
  readonly #failures = new Map<string, LoginFailures>();
  #waiting = 0;
  readonly #waitingOf = new Map<string, number>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(sessions: SessionStore, now: () => number) {
    this.#sessions = sessions;
    this.#now = now;
  }

  /** One try at a time for each name, known or not: a hundred at once are counted as a hundred. */
  async runExclusive<T>(name: string, address: string, act: () => Promise<T>): Promise<T> {
    const ofAddress = this.#waitingOf.get(address) ?? 0;
    if (this.#waiting >= MAX_WAITING || ofAddress >= MAX_WAITING_OF_ADDRESS) throw new PasswordsBusy();
    this.#waiting++;
    this.#waitingOf.set(address, ofAddress + 1);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).catch(() => undefined).then(act);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      this.#waiting--;
      const left = (this.#waitingOf.get(address) ?? 1) - 1;
      if (left === 0) this.#waitingOf.delete(address);
      else this.#waitingOf.set(address, left);
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  isLocked(name: string): boolean {
    return this.#of(name).count >= MAX_FAILURES;
  }

  /** A lock survives a restart: it is stored before the login is denied. */
  async failed(name: string): Promise<void> {
    const failures = { count: this.#of(name).count + 1, at: this.#now() };
    this.#failures.set(name, failures);
    if (failures.count >= MAX_FAILURES) await this.#sessions.lock(name, failures);
  }

  async succeeded(name: string): Promise<void> {
    this.#failures.delete(name);
    if (this.#sessions.locked(name) !== undefined) await this.#sessions.lock(name, undefined);
  }

  #of(name: string): LoginFailures {
    const [here, written] = [this.#failures.get(name), this.#sessions.locked(name)];
    const failures = here === undefined || (written !== undefined && written.at > here.at) ? written : here;
    // A clock that was ahead must not lock anybody out until that time comes.
    return failures === undefined || Math.abs(this.#now() - failures.at) > WINDOW ? { count: 0, at: 0 } : failures;
  }
}
