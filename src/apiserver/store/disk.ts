import { close, constants, fsync, ftruncate, open, write, writeSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { lockDirectory, type DirectoryLock } from '../../net/directory-lock/index.js';

/** The few file operations that the store uses; tests pass one that fails on purpose. */
export interface Disk {
  makeDirectory(path: string): Promise<void>;
  /** Makes this process the only user of a directory, or fails with STORE_LOCKED. */
  lock(directory: string): Promise<DirectoryLock>;
  list(directory: string): Promise<string[]>;
  /** The whole file; undefined where there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /**
   * Opens for writing and creates where missing. `durable`: every write is on disk when it resolves. `empty`: what
   * the file held is dropped.
   */
  open(path: string, mode: { readonly durable: boolean; readonly empty: boolean }): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes creations, renames and removals in a directory durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface DiskFile {
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** For a few bytes that only have to reach the operating system: costs microseconds, where `write` costs a thread. */
  writeNow(bytes: Uint8Array, position: number): void;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** O_DSYNC makes write and fdatasync one call. Elsewhere than on Linux it does not reach the platter, so we sync. */
const ONE_CALL = process.platform === 'linux';

export const nodeDisk: Disk = {
  async makeDirectory(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  lock: lockDirectory,
  async list(directory) {
    return await readdir(directory);
  },
  async read(path) {
    try {
      return await readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async open(path, { durable, empty }) {
    const flags =
      constants.O_RDWR |
      constants.O_CREAT |
      (empty ? constants.O_TRUNC : 0) |
      (durable && ONE_CALL ? constants.O_DSYNC : 0);
    const fd = await new Promise<number>((resolve, reject) => {
      open(path, flags, 0o600, (error, opened) => (error === null ? resolve(opened) : reject(error)));
    });
    return new NodeFile(fd, durable && !ONE_CALL);
  },
  async rename(from, to) {
    await rename(from, to);
  },
  async remove(path) {
    await rm(path, { force: true });
  },
  async syncDirectory(path) {
    const fd = await new Promise<number>((resolve, reject) => {
      open(path, constants.O_RDONLY, (error, opened) => (error === null ? resolve(opened) : reject(error)));
    });
    const directory = new NodeFile(fd, false);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

type Settle = (error: Error | null) => void;

function call(start: (settle: Settle) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error === null ? resolve() : reject(error))));
}

class NodeFile implements DiskFile {
  constructor(
    readonly fd: number,
    readonly syncEach: boolean,
  ) {}

  async write(bytes: Uint8Array, position: number): Promise<void> {
    // The kernel may take less than it was given, for example just before the disk is full.
    for (let done = 0; done < bytes.length; ) {
      done += await new Promise<number>((resolve, reject) => {
        write(this.fd, bytes, done, bytes.length - done, position + done, (error, written) =>
          error === null ? resolve(written) : reject(error),
        );
      });
    }
    if (this.syncEach) await this.sync();
  }

  writeNow(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.fd, bytes, done, bytes.length - done, position + done);
  }

  sync(): Promise<void> {
    return call((settle) => fsync(this.fd, settle));
  }

  truncate(length: number): Promise<void> {
    return call((settle) => ftruncate(this.fd, length, settle));
  }

  close(): Promise<void> {
    return call((settle) => close(this.fd, settle));
  }
}
