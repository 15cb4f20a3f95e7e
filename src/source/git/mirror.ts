import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { Allowance, maskUrl, type Address } from '../common/index.js';
import { accessProof, fingerprint, type RepositoryAccess } from '../access/index.js';
import { isDamaged } from './git-fault.js';
import type { GitHost } from './git-host.js';
import { UnreadableMirror, type GitObject } from './object-reader.js';
import type { GitResult } from './run-git.js';
import { clearWriter, recordWriter, removeLeftovers, recoverMirror } from './recover-mirror.js';

const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogAllRefUpdates = false\n\tsharedRepository = 0600\n' +
  '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n';
const QUIET = [
  '--quiet',
  '--force',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
];
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

interface PendingFetch {
  readonly key: string;
  readonly project: string;
  readonly done: Promise<void>;
  isStarted: boolean;
}

/** The file that is touched while a mirror is used; it holds the address. */
export const MIRROR_MARK = 'url';
/** The file that says that contents of files come on demand, and the one with the proof of who filled it. */
const [PARTIAL, PROOF] = ['partial', 'proof'];
const TOUCH_MILLISECONDS = 3_600_000;
let mirrors = 0;

/**
 * A bare copy of one repository as those see it who open it in the same way. One writer at a time; readers never wait
 * for it.
 */
export class Mirror {
  readonly address: Address;
  /** Tells its objects from those of other mirrors, in memory. */
  readonly scope = String(++mirrors);
  readonly #host: GitHost;
  readonly #directory: string;
  readonly #objects: string;
  #opened: Promise<void> | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #pendingFetches: PendingFetch[] = [];
  #isPartial = false;
  #isSuspect = false;
  /** Whose credentials got the last answer of the server; undefined where there was none yet, so nothing is here. */
  #proof: string | undefined;
  #touchedAt = Number.NEGATIVE_INFINITY;

  constructor(host: GitHost, address: Address, name: string) {
    this.#host = host;
    this.address = address;
    this.#directory = join(host.folder.mirrors, name);
    this.#objects = join(this.#directory, 'objects');
  }

  /**
   * Makes sure that the server answers to these credentials before anything is read with them: what is here came by
   * others, where those of a Secret have changed.
   */
  async admit(access: RepositoryAccess): Promise<void> {
    await this.#open();
    await this.#touch();
    if (this.#proof !== undefined && this.#proof !== this.#proofOf(access)) await this.fetch(access);
  }

  /**
   * The objects in order; undefined for each that is not here. `bytes` is left out where they are more than allowed.
   */
  async read(ids: readonly string[], allowance: Allowance): Promise<(GitObject | undefined)[]> {
    await this.#open();
    try {
      return await this.#host.readers.use(this.#objects, (reader) =>
        Promise.all(ids.map((id) => reader.read(id, allowance))),
      );
    } catch (error) {
      if (error instanceof UnreadableMirror) this.#isSuspect = true;
      throw error;
    }
  }

  /** An annotated tag counts: it names a commit. */
  async hasCommit(commit: string): Promise<boolean> {
    const [object] = await this.read([commit], new Allowance(0));
    return object?.kind === 'commit' || object?.kind === 'tag';
  }

  /** Makes sure that a commit is here: at once where it is, else by a fetch that all who wait for it share. */
  async obtain(commit: string, access: RepositoryAccess): Promise<void> {
    if (this.#isSuspect) await this.#alone(() => (this.#isSuspect ? this.#startAnew() : Promise.resolve()));
    if (await this.hasCommit(commit)) return;
    const running = this.#pendingFetches.find(({ key, isStarted }) => isStarted && key === fingerprint(access));
    if (running !== undefined) {
      await running.done;
      if (await this.hasCommit(commit)) return;
    }
    await this.fetch(access);
    if (await this.hasCommit(commit)) return;
    // On no branch and no tag, as the head of a pull request.
    await this.#inTurn(access, () => this.#fetchInto(access, [commit], undefined));
    if (!(await this.hasCommit(commit)))
      throw new Fault('REVISION_UNKNOWN', `${commit} is no commit of the repository`, {
        where: maskUrl(this.address.url),
      });
  }

  /** Brings all branches and tags. A fetch that has not begun yet serves everyone who comes until then. */
  fetch(access: RepositoryAccess): Promise<void> {
    const key = fingerprint(access);
    const { project = '' } = access;
    // Another project's turn may be far away.
    const waiting = this.#pendingFetches.find(
      (flight) => !flight.isStarted && flight.key === key && flight.project === project,
    );
    if (waiting !== undefined) return waiting.done;
    const flight: PendingFetch = {
      key,
      project,
      isStarted: false,
      done: this.#inTurn(access, () => {
        flight.isStarted = true;
        return this.#fetchInto(access, ALL_REFS, '--prune');
      }).finally(() => {
        this.#pendingFetches = this.#pendingFetches.filter((other) => other !== flight);
      }),
    };
    this.#pendingFetches.push(flight);
    return flight.done;
  }

  /** Brings the objects that a partial mirror lacks, all in one request. */
  async fetchObjects(ids: readonly string[], access: RepositoryAccess): Promise<void> {
    await this.#inTurn(access, async () => {
      const args = [
        '-c',
        'fetch.negotiationAlgorithm=noop',
        'fetch',
        ...QUIET,
        '--filter=blob:none',
        '--stdin',
        'origin',
      ];
      await this.#talk(access, args, this.#host.limits.fetchBytes, ids.map((id) => `${id}\n`).join(''));
    });
  }

  /** The commits whose id begins so. */
  async commitsWith(prefix: string): Promise<string[]> {
    await this.#open();
    const result = await this.#host.local(this.#directory, ['rev-parse', `--disambiguate=${prefix}`]);
    const ids = result.output
      .toString('latin1')
      .split('\n')
      .filter((id) => /^[0-9a-f]{40}$/.test(id));
    const objects = await this.read(ids, new Allowance(0));
    return ids.filter((_, at) => objects[at]?.kind === 'commit');
  }

  async #fetchInto(access: RepositoryAccess, wants: readonly string[], prune: '--prune' | undefined): Promise<void> {
    const { partialBytes, fetchBytes } = this.#host.limits;
    const depth = access.depth === undefined ? [] : [`--depth=${access.depth}`];
    const args = (isPartial: boolean): string[] => [
      'fetch',
      ...QUIET,
      ...(prune === undefined ? [] : [prune]),
      ...(isPartial ? ['--filter=blob:none'] : []),
      ...depth,
      'origin',
      ...wants,
    ];
    if (!this.#isPartial) {
      const isWhole = await this.#talk(
        access,
        args(false),
        Math.min(partialBytes, fetchBytes),
        undefined,
        partialBytes < fetchBytes,
      );
      if (isWhole) return;
      this.#isPartial = true;
      await writeFile(join(this.#directory, PARTIAL), '');
    }
    await this.#talk(access, args(true), fetchBytes);
  }

  /** False where the bytes were too many and the caller wants to know instead of failing. */
  async #talk(
    access: RepositoryAccess,
    args: readonly string[],
    most: number,
    input?: string,
    mayBeLarge = false,
  ): Promise<boolean> {
    const attempt = (): Promise<GitResult> =>
      this.#host.talk(this.address, access, {
        args,
        directory: this.#directory,
        ...(input === undefined ? {} : { input }),
        isTooMuch: async () => (await this.#incoming()) > most,
        started: (pid) => recordWriter(this.#directory, pid),
      });
    try {
      let result = await attempt();
      if (result.end === 'failed' && isDamaged(result.stderr)) {
        await this.#startAnew();
        result = await attempt();
      }
      if (result.end === 'bytes' && mayBeLarge) return false;
      if (result.end !== 'done') throw this.#host.fault(result, this.address, most);
      await this.#prove(access);
      await this.#tidy();
      return true;
    } finally {
      await removeLeftovers(this.#directory);
      await clearWriter(this.#directory);
    }
  }

  /** The bytes of packs that are on their way. */
  async #incoming(): Promise<number> {
    const packs = join(this.#objects, 'pack');
    const names = await readdir(packs).catch(() => [] as string[]);
    const sizes = await Promise.all(
      names
        .filter((name) => name.startsWith('tmp_'))
        .map(async (name) => (await stat(join(packs, name)).catch(() => undefined))?.size ?? 0),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Joins many small packs; nothing is ever dropped, since an old commit may be wanted again. */
  async #tidy(): Promise<void> {
    const packs = (await readdir(join(this.#objects, 'pack')).catch(() => [] as string[])).filter((name) =>
      name.endsWith('.pack'),
    );
    if (packs.length <= this.#host.limits.packs) return;
    const how = this.#isPartial ? ['-a', '-d', '-k'] : ['-d', '--geometric=2'];
    const result = await this.#host.local(this.#directory, ['repack', '-q', ...how]);
    if (result.end !== 'done')
      this.#host.dependencies.report(
        `the packs of ${maskUrl(this.address.url)} could not be joined; reading them gets slower`,
      );
  }

  /** Nothing reads from it any more; what comes after this opens it again. */
  close(): void {
    this.#host.readers.drop(this.#objects);
  }

  #proofOf(access: RepositoryAccess): string {
    return accessProof(this.#host.folder.key, access);
  }

  async #prove(access: RepositoryAccess): Promise<void> {
    const proof = this.#proofOf(access);
    if (proof === this.#proof) return;
    this.#proof = proof;
    await writeFile(join(this.#directory, PROOF), proof, { mode: 0o600 });
  }

  /** A mirror that nobody opens for long is removed. */
  async #touch(): Promise<void> {
    const { clock } = this.#host.dependencies;
    if (clock.steady() - this.#touchedAt < TOUCH_MILLISECONDS) return;
    this.#touchedAt = clock.steady();
    await utimes(join(this.#directory, MIRROR_MARK), clock.now(), clock.now());
  }

  #open(): Promise<void> {
    this.#opened ??= this.#prepare().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #prepare(): Promise<void> {
    await recoverMirror(this.#directory, this.#host.dependencies.clock);
    for (const folder of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags'])
      await mkdir(join(this.#directory, folder), { recursive: true, mode: 0o700 });
    this.#isPartial = (await stat(join(this.#directory, PARTIAL)).catch(() => undefined)) !== undefined;
    this.#proof = await readFile(join(this.#directory, PROOF), 'utf8').catch(() => undefined);
    await writeFile(join(this.#directory, 'HEAD'), 'ref: refs/heads/none\n', { flag: 'wx' }).catch(ifPresent);
    await writeFile(join(this.#directory, 'config'), CONFIG, { flag: 'wx' }).catch(ifPresent);
    await writeFile(join(this.#directory, MIRROR_MARK), `${maskUrl(this.address.url)}\n`);
  }

  /** Throws a damaged mirror away; the next fetch brings everything. */
  async #startAnew(): Promise<void> {
    this.#host.dependencies.report(`the mirror of ${maskUrl(this.address.url)} is damaged and is fetched anew`);
    this.#host.readers.drop(this.#objects);
    await rm(this.#directory, { recursive: true, force: true });
    this.#isSuspect = false;
    this.#opened = undefined;
    await this.#open();
  }

  /** The turn at the server first: whoever waits for it keeps no other writer from the mirror. */
  #inTurn<T>(access: RepositoryAccess, work: () => Promise<T>): Promise<T> {
    return this.#host.inTurn(this.address, access, () => this.#alone(work));
  }

  /** One writer at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(() => this.#open()).then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

function ifPresent(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}
