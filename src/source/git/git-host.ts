import type { RepositoryAccess } from '../access/index.js';
import { type Address, type SourceDependencies, sizeText, type SourceLimits, Semaphore } from '../common/index.js';
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

/** The git program with its bounds: talks with servers, and readers of mirrors. */
export class GitHost {
  readonly dependencies: SourceDependencies;
  readonly folder: GitFolder;
  readonly limits: SourceLimits;
  readonly readers: ReaderPool;
  readonly #talks: Semaphore;
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
    this.#talks = new Semaphore(limits.fetches);
  }

  /** One talk with the server of an address. */
  talk(
    address: Address,
    access: RepositoryAccess,
    call: Pick<GitCall, 'args' | 'directory' | 'input' | 'isTooMuch' | 'started'>,
  ): Promise<GitResult> {
    return this.#talks.run(async () => {
      const begun = this.dependencies.clock.steady();
      const session = await openSession(this.dependencies, this.folder, address, access);
      try {
        return await runGit(this.dependencies.clock, {
          ...call,
          session,
          isTooMuch: async (pid) =>
            (await memoryOf(pid)) > this.limits.gitMemoryBytes || (await call.isTooMuch?.(pid)) === true,
          environment: { GIT_DIR: call.directory },
          milliseconds: this.limits.fetchMilliseconds,
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
    });
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

  async listRefs(address: Address, access: RepositoryAccess): Promise<Refs> {
    const result = await this.talk(address, access, {
      args: ['ls-remote', '--symref', 'origin'],
      directory: this.folder.reader,
    });
    if (result.end !== 'done') throw this.fault(result, address, this.limits.refsBytes);
    return parseRefs(result.output.toString('utf8'), address.url);
  }

  fault(result: GitResult, address: Address, bytes = this.limits.fetchBytes): Error {
    return gitFault(result, address.url, { milliseconds: this.limits.fetchMilliseconds, bytes: sizeText(bytes) });
  }

  close(): void {
    this.#end.abort();
    this.readers.close();
  }
}
