import { accessKey, type RepositoryAccess } from '../access/index.js';
import { removeUnused, type Address } from '../common/index.js';
import type { GitHost } from './git-host.js';
import { Mirror, MIRROR_MARK } from './mirror.js';

const CLEANING_MILLISECONDS = 3_600_000;
const IDLE_MILLISECONDS = 24 * 3_600_000;

/**
 * The mirrors of a data directory: one for each repository and way to open it. What one project reads with its
 * credentials is never there for another, not even by the id of a commit.
 */
export class MirrorStore {
  readonly #host: GitHost;
  readonly #mirrors = new Map<string, { readonly mirror: Mirror; usedAt: number }>();
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(host: GitHost) {
    this.#host = host;
  }

  get(address: Address, access: RepositoryAccess): Mirror {
    const name = accessKey(this.#host.folder.key, address.url, access, address);
    const now = this.#host.dependencies.clock.steady();
    const known = this.#mirrors.get(name);
    if (known !== undefined) {
      known.usedAt = now;
      return known.mirror;
    }
    const { username: _user, password: _password, ...place } = address;
    const mirror = new Mirror(this.#host, place, name);
    this.#mirrors.set(name, { mirror, usedAt: now });
    if (now - this.#cleanedAt > CLEANING_MILLISECONDS) this.#clean(now);
    return mirror;
  }

  /** New ways to open a repository are when old ones go out of use. */
  #clean(now: number): void {
    this.#cleanedAt = now;
    const { clock, report } = this.#host.dependencies;
    for (const [name, { mirror, usedAt }] of this.#mirrors) {
      if (now - usedAt < IDLE_MILLISECONDS) continue;
      mirror.close();
      this.#mirrors.delete(name);
    }
    removeUnused(this.#host.folder.mirrors, MIRROR_MARK, clock.now(), (name) => this.#mirrors.has(name)).catch(
      (error: unknown) => {
        report(`unused mirrors cannot be removed: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
  }
}
