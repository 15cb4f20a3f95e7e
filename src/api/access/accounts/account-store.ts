import { formatTime, instantOf } from '../../../model/formats/index.js';
import { readAccounts, secretKeys, formatTokens, type Account, type AccountToken } from './account.js';
import type { SecretCache } from './secret-cache.js';

/** The Secret of Argo CD that has passwords, tokens and the key that sessions are signed with. */
export const ARGOCD_SECRET = 'argocd-secret';

/** The local accounts as argocd-cm and argocd-secret have them now, and changes to what the latter keeps. */
export class AccountStore {
  readonly #secrets: SecretCache;
  readonly #settings: () => ReadonlyMap<string, string>;
  readonly #now: () => number;
  readonly #isAdminEnabledByDefault: boolean;
  #accounts: ReadonlyMap<string, Account> | undefined;

  constructor(
    secrets: SecretCache,
    settings: () => ReadonlyMap<string, string>,
    now: () => number,
    isAdminEnabledByDefault: boolean,
  ) {
    this.#secrets = secrets;
    this.#settings = settings;
    this.#now = now;
    this.#isAdminEnabledByDefault = isAdminEnabledByDefault;
  }

  /** Called when one of the two changed. */
  invalidate(): void {
    this.#accounts = undefined;
  }

  get all(): ReadonlyMap<string, Account> {
    return (this.#accounts ??= this.#read(this.#secrets.data(ARGOCD_SECRET)));
  }

  get(name: string): Account | undefined {
    return this.all.get(name);
  }

  /** From now on what was signed before counts no more, not even what was signed in this second. */
  async setPassword(name: string, passwordHash: string): Promise<void> {
    const keys = secretKeys(name);
    const changedAt = formatTime(instantOf((Math.floor(this.#now() / 1000) + 1) * 1000));
    await this.#secrets.change(
      ARGOCD_SECRET,
      () =>
        new Map([
          [keys.password, passwordHash],
          [keys.changedAt, changedAt],
        ]),
    );
    this.invalidate();
  }

  /** `change` sees the tokens that are there and says which shall be; it may be asked twice. */
  async changeTokens(
    name: string,
    change: (tokens: readonly AccountToken[]) => readonly AccountToken[],
  ): Promise<void> {
    const key = secretKeys(name).tokens;
    await this.#secrets.change(ARGOCD_SECRET, (data) => {
      const tokens = change(this.#read(data).get(name)?.tokens ?? []);
      return new Map([[key, tokens.length === 0 ? undefined : formatTokens(tokens)]]);
    });
    this.invalidate();
  }

  #read(secret: ReadonlyMap<string, string>): ReadonlyMap<string, Account> {
    return readAccounts(this.#settings(), secret, this.#isAdminEnabledByDefault);
  }
}
