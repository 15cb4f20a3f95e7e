import type { RepositoryAccess } from '../access/index.js';
import { FairQueue } from '../../model/queue/index.js';
import { type Address, type SourceDependencies, sizeText, type SourceLimits } from '../common/index.js';
import { gitEnvironment } from './git-environment.js';
import { gitFault } from './git-fault.js';
import type { GitFolder } from './git-folder.js';
import { openSession } from './git-session.js';
import { ObjectReader } from './object-reader.js';
import { memoryOf } from './process-memory.js';
import { ReaderPool } from './reader-pool.js';
import { parseRefs, type Refs } from './refs.js';
import { runGit, type GitCall, type GitResult } from './run-git.js';

export type OnGitRequest = (url: string, type: 'ls-remote' | 'fetch', milliseconds: number) => void;

/** So many times the usual number of talks run at most, where some hang and others are owed their share. */
const OWED = 8;

/** The git program with its bounds: talks with servers, and readers of mirrors. */
export class GitHost {
  readonly dependencies: SourceDependencies;
  readonly folder: GitFolder;
  readonly limits: SourceLimits;
  readonly readers: ReaderPool;
  readonly #talks: FairQueue;
  readonly #end = new AbortController();

  readonly #onRequest: OnGitRequest | undefined;

  constructor(world: SourceDependencies, folder: GitFolder, limits: SourceLimits, onRequest?: OnGitRequest) {
    this.#onRequest = onRequest;
    this.dependencies = world;
    this.folder = folder;
    this.limits = limits;
    this.readers = new ReaderPool(
      limits.readers,
      (objects) => new ObjectReader(objects, folder.reader, gitEnvironment(world, folder)),
    );
    this.#talks = new FairQueue({ places: limits.fetches, max: limits.fetches * OWED });
  }

  /**
   * Work that talks with a server, when it is the turn of the project and the server. Whoever waits for it holds
   * nothing that others need.
   */
  inTurn<T>(address: Address, { project = '' }: RepositoryAccess, work: () => Promise<T>): Promise<T> {
    return this.#talks.run({ owner: project, host: address.host.toLowerCase() }, work);
  }

  /** One talk with the server of an address. */
  async talk(
    address: Address,
    access: RepositoryAccess,
    call: Pick<GitCall, 'args' | 'directory' | 'input' | 'isTooMuch' | 'started'>,
    milliseconds = this.limits.fetchMilliseconds,
  ): Promise<GitResult> {
    const begun = this.dependencies.clock.steady();
    const session = await openSession(this.dependencies, this.folder, address, access);
    try {
      return await runGit(this.dependencies.clock, {
        ...call,
        session,
        isTooMuch: async (pid) =>
          (await memoryOf(pid)) > this.limits.gitMemoryBytes || (await call.isTooMuch?.(pid)) === true,
        environment: { GIT_DIR: call.directory },
        milliseconds,
        outputBytes: this.limits.refsBytes,
        signal: this.#end.signal,
      });
    } finally {
      this.#onRequest?.(
        address.url,
        call.args.includes('fetch') ? 'fetch' : 'ls-remote',
        this.dependencies.clock.steady() - begun,
      );
      await session.close();
    }
  }

  /** A call that stays on this machine. */
  local(directory: string, args: readonly string[]): Promise<GitResult> {
    return runGit(this.dependencies.clock, {
      args,
      directory,
      environment: { ...gitEnvironment(this.dependencies, this.folder), GIT_DIR: directory },
      milliseconds: this.limits.fetchMilliseconds,
      outputBytes: this.limits.refsBytes,
      signal: this.#end.signal,
    });
  }

  /** `started` is called when it is its turn. */
  async listRefs(address: Address, access: RepositoryAccess, started?: () => void): Promise<Refs> {
    const { refsMilliseconds, refsBytes } = this.limits;
    const call = { args: ['ls-remote', '--symref', 'origin'], directory: this.folder.reader };
    const result = await this.inTurn(address, access, () => {
      started?.();
      return this.talk(address, access, call, refsMilliseconds);
    });
    if (result.end !== 'done') throw this.fault(result, address, refsBytes, refsMilliseconds);
    return parseRefs(result.output.toString('utf8'), address.url);
  }

  fault(
    result: GitResult,
    address: Address,
    bytes = this.limits.fetchBytes,
    milliseconds = this.limits.fetchMilliseconds,
  ): Error {
    return gitFault(result, address.url, { milliseconds, bytes: sizeText(bytes) });
  }

  close(): void {
    this.#end.abort();
    this.readers.close();
  }
}
