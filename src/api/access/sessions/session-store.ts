import { isObject, own, parseJson, put, type Json, type JsonObject } from '../../../model/json/index.js';
import type { SecretCache } from '../accounts/secret-cache.js';

/** Wrong passwords in a row, and when the last was given (milliseconds since 1970). */
export interface LoginFailures {
  readonly count: number;
  readonly at: number;
}

/** The Secret that keeps what must outlive a restart. */
export const SESSIONS_SECRET = 'argosy-sessions';
/** A Secret holds a megabyte; those that end soonest go first. */
const MAX_REVOKED = 10_000;

/**
 * Sessions that were ended before their time, and accounts that are locked: for all servers of this control plane, and
 * for the next start.
 */
export class SessionStore {
  readonly #secrets: SecretCache;
  readonly #now: () => number;
  #written: { readonly revoked: ReadonlyMap<string, number>; readonly locked: ReadonlyMap<string, LoginFailures> } = {
    revoked: new Map(),
    locked: new Map(),
  };
  /** What was noted here and is not written yet. */
  readonly #revoking = new Map<string, number>();
  readonly #locking = new Map<string, LoginFailures | undefined>();
  #writing: Promise<void> | undefined;

  constructor(secrets: SecretCache, now: () => number) {
    this.#secrets = secrets;
    this.#now = now;
    this.reload();
  }

  /** Called when the Secret changed. */
  reload(): void {
    const data = this.#secrets.data(SESSIONS_SECRET);
    const failures = (value: Json): LoginFailures | undefined =>
      isObject(value) && typeof value.count === 'number' && typeof value.at === 'number'
        ? { count: value.count, at: value.at }
        : undefined;
    this.#written = {
      revoked: readEntries(data.get('revoked'), (value) => (typeof value === 'number' ? value : undefined)),
      locked: readEntries(data.get('locked'), failures),
    };
  }

  isRevoked(id: string): boolean {
    return this.#revoking.has(id) || this.#written.revoked.has(id);
  }

  /** Counts at once here; resolves when it is written. */
  revoke(id: string, expiresAt: number): Promise<void> {
    this.#revoking.set(id, expiresAt);
    return this.#write();
  }

  locked(name: string): LoginFailures | undefined {
    return this.#locking.has(name) ? this.#locking.get(name) : this.#written.locked.get(name);
  }

  lock(name: string, failures: LoginFailures | undefined): Promise<void> {
    this.#locking.set(name, failures);
    return this.#write();
  }

  /** One write at a time; what is noted meanwhile goes with the next. */
  #write(): Promise<void> {
    const before = this.#writing ?? Promise.resolve();
    const next = before.catch(() => undefined).then(() => this.#flush());
    this.#writing = next;
    return next;
  }

  async #flush(): Promise<void> {
    const [revoking, locking] = [new Map(this.#revoking), new Map(this.#locking)];
    if (revoking.size === 0 && locking.size === 0) return;
    await this.#secrets.change(SESSIONS_SECRET, (data) => this.#merged(data, revoking, locking));
    this.reload();
    for (const id of revoking.keys()) this.#revoking.delete(id);
    for (const [name, failures] of locking) if (this.#locking.get(name) === failures) this.#locking.delete(name);
  }

  #merged(
    data: ReadonlyMap<string, string>,
    revoking: ReadonlyMap<string, number>,
    locking: ReadonlyMap<string, LoginFailures | undefined>,
  ): Map<string, string> {
    const seconds = this.#now() / 1000;
    const revoked = new Map([
      ...readEntries(data.get('revoked'), (value) => (typeof value === 'number' ? value : undefined)),
      ...revoking,
    ]);
    const kept = [...revoked]
      .filter(([, until]) => until > seconds)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_REVOKED);
    const locked = new Map<string, Json>([
      ...readEntries(data.get('locked'), (value) => value),
      ...[...locking].map(([name, failures]) => [name, failures === undefined ? null : { ...failures }] as const),
    ]);
    return new Map([
      ['revoked', JSON.stringify(objectOf(kept))],
      ['locked', JSON.stringify(objectOf([...locked].filter(([, value]) => value !== null)))],
    ]);
  }
}

function readEntries<T>(text: string | undefined, read: (value: Json) => T | undefined): Map<string, T> {
  let value: Json = null;
  try {
    value = parseJson(text ?? 'null');
  } catch {
    // Somebody else wrote it; the next write sets it right.
  }
  if (!isObject(value)) return new Map();
  const object = value;
  return new Map(
    Object.keys(object).flatMap((key) => {
      const entry = read(own(object, key) ?? null);
      return entry === undefined ? [] : [[key, entry] as const];
    }),
  );
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) put(object, key, value);
  return object;
}
