import { isObject, type JsonObject } from '../../../src/model/json/index.js';
import { badRequest, notFound, VaultError } from './vault-error.js';

interface Version {
  readonly created: string;
  deleted: string;
  isDestroyed: boolean;
  data: JsonObject;
}

interface Entry {
  readonly created: string;
  updated: string;
  readonly versions: Map<number, Version>;
  current: number;
  oldest: number;
  custom: JsonObject | null;
  isCasRequired: boolean;
  maxVersions: number;
}

/** Vault keeps ten unless told. */
const KEPT_VERSIONS = 10;

/** What a refusal with contents carries: a version that was deleted is 404 and still described. */
export class Gone extends VaultError {
  constructor(readonly data: JsonObject) {
    super(404);
  }
}

/** A KV engine of version 2: every write is a new version. */
export class KeyValues {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly now: () => Date) {}

  read(path: string, version = 0): JsonObject {
    const entry = this.#entries.get(path);
    const number = version > 0 ? version : (entry?.current ?? 0);
    const found = entry?.versions.get(number);
    if (entry === undefined || found === undefined) throw notFound();
    const metadata = describe(entry, number, found);
    if (found.deleted !== '' || found.isDestroyed) throw new Gone({ data: null, metadata });
    return { data: found.data, metadata };
  }

  write(path: string, body: JsonObject): JsonObject {
    if (!isObject(body.data)) throw badRequest('no data provided');
    const created = this.now().toISOString();
    const entry = this.#entries.get(path) ?? newEntry(created);
    checkSet(entry, isObject(body.options) ? body.options : {});
    entry.current += 1;
    entry.updated = created;
    const version: Version = { created, deleted: '', isDestroyed: false, data: body.data };
    entry.versions.set(entry.current, version);
    for (const number of [...entry.versions.keys()].slice(0, -(entry.maxVersions || KEPT_VERSIONS)))
      entry.versions.delete(number);
    entry.oldest = Math.min(...entry.versions.keys());
    this.#entries.set(path, entry);
    return describe(entry, entry.current, version);
  }

  /** Hides the newest version, or those that are named; what was hidden can come back. */
  hide(path: string, versions?: readonly number[]): void {
    this.#each(path, versions, (version) => {
      version.deleted = this.now().toISOString();
    });
  }

  unhide(path: string, versions: readonly number[]): void {
    this.#each(path, versions, (version) => {
      version.deleted = '';
    });
  }

  destroy(path: string, versions: readonly number[]): void {
    this.#each(path, versions, (version) => {
      version.isDestroyed = true;
      version.data = {};
    });
  }

  #each(path: string, versions: readonly number[] | undefined, change: (version: Version) => void): void {
    const entry = this.#entries.get(path);
    for (const number of versions ?? (entry === undefined ? [] : [entry.current])) {
      const version = entry?.versions.get(number);
      if (version !== undefined) change(version);
    }
  }

  metadata(path: string): JsonObject {
    const entry = this.#entries.get(path);
    if (entry === undefined) throw notFound();
    const versions = Object.fromEntries(
      [...entry.versions].map(([number, { created, deleted, isDestroyed }]) => [
        String(number),
        { created_time: created, deletion_time: deleted, destroyed: isDestroyed },
      ]),
    );
    return {
      versions,
      current_version: entry.current,
      oldest_version: entry.oldest,
      created_time: entry.created,
      updated_time: entry.updated,
      max_versions: entry.maxVersions,
      cas_required: entry.isCasRequired,
      delete_version_after: '0s',
      custom_metadata: entry.custom,
    };
  }

  setMetadata(path: string, body: JsonObject): void {
    const entry = this.#entries.get(path) ?? newEntry(this.now().toISOString());
    if (isObject(body.custom_metadata)) entry.custom = body.custom_metadata;
    if (typeof body.cas_required === 'boolean') entry.isCasRequired = body.cas_required;
    if (typeof body.max_versions === 'number') entry.maxVersions = body.max_versions;
    this.#entries.set(path, entry);
  }

  forget(path: string): void {
    this.#entries.delete(path);
  }

  /** Names below a folder; folders end in a slash. */
  list(path: string): string[] {
    const folder = path === '' || path.endsWith('/') ? path : `${path}/`;
    const names = [...this.#entries.keys()]
      .filter((key) => key.startsWith(folder))
      .map((key) => /^[^/]*\/?/.exec(key.slice(folder.length))?.[0] ?? '');
    if (names.length === 0) throw notFound();
    return [...new Set(names)].sort();
  }
}

function newEntry(created: string): Entry {
  return {
    created,
    updated: created,
    versions: new Map(),
    current: 0,
    oldest: 0,
    custom: null,
    isCasRequired: false,
    maxVersions: 0,
  };
}

function describe(entry: Entry, number: number, { created, deleted, isDestroyed }: Version): JsonObject {
  return {
    created_time: created,
    custom_metadata: entry.custom,
    deletion_time: deleted,
    destroyed: isDestroyed,
    version: number,
  };
}

function checkSet(entry: Entry, options: JsonObject): void {
  if (options.cas === undefined) {
    if (entry.isCasRequired) throw badRequest('check-and-set parameter required for this call');
  } else if (Number(options.cas) !== entry.current)
    throw badRequest('check-and-set parameter did not match the current version');
}
