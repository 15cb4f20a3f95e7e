import { basename, dirname, join } from 'node:path';
import { Fault } from '../../../model/faults/index.js';
import type { DirectoryLock } from '../../../net/directory-lock/index.js';
import type { Disk, DiskFile } from '../disk.js';
import type { Random } from './random.js';

const SECTOR = 512;

type FileChange =
  | { readonly kind: 'write'; readonly bytes: Buffer; readonly position: number }
  | { readonly kind: 'truncate'; readonly length: number };

/** A change that reached the page cache, and perhaps the platter too. */
interface Recent {
  readonly what: FileChange;
  isDurable: boolean;
}

interface Inode {
  /** What programs read. */
  cached: Buffer;
  /** What would be left without power, before any of `recent` is added. */
  durable: Buffer;
  /** In the order they were made; the first is not durable, later ones may be. */
  recent: Recent[];
}

type NameChange = (names: Map<string, Inode>) => void;

export type DiskOperation =
  | 'open'
  | 'write'
  | 'written'
  | 'sync'
  | 'synced'
  | 'truncate'
  | 'rename'
  | 'remove'
  | 'syncDirectory'
  | 'mark';

/**
 * A disk in memory that can do what real ones do on bad days: fail, fill up, lose its power. It knows which bytes and
 * names were synced; without power any choice of the other sectors survives, newer over older ones, and a front part of
 * the name changes, as with a journalling file system.
 */
export class SimulatedDisk implements Disk {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #nameChanges: NameChange[] = [];
  #isLocked = false;
  /** Called at every step; what it throws is the failure of that step. */
  onStep: (perform: DiskOperation, path: string) => void = () => undefined;
  /** Total bytes of all files; more is ENOSPC after a part was written. */
  capacity = Infinity;
  #isOff = false;

  makeDirectory(): Promise<void> {
    return Promise.resolve();
  }

  lock(directory: string): Promise<DirectoryLock> {
    if (this.#isLocked)
      return Promise.reject(new Fault('STORE_LOCKED', 'another process is using this directory', { where: directory }));
    this.#isLocked = true;
    return Promise.resolve({
      release: () => {
        this.#isLocked = false;
        return Promise.resolve();
      },
    });
  }

  list(directory: string): Promise<string[]> {
    return Promise.resolve(
      [...this.#names.keys()].filter((path) => dirname(path) === directory).map((path) => basename(path)),
    );
  }

  read(path: string): Promise<Buffer | undefined> {
    const inode = this.#names.get(path);
    return Promise.resolve(inode === undefined ? undefined : Buffer.from(inode.cached));
  }

  async open(
    path: string,
    { durable, empty }: { readonly durable: boolean; readonly empty: boolean },
  ): Promise<DiskFile> {
    await this.step('open', path);
    const known = this.#names.get(path);
    const inode = known ?? { cached: Buffer.alloc(0), durable: Buffer.alloc(0), recent: [] };
    if (known === undefined) this.#change((names) => names.set(path, inode));
    else if (empty) change(inode, { kind: 'truncate', length: 0 });
    return new SimulatedFile(this, path, inode, durable);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.step('rename', to);
    this.#change((names) => {
      const inode = names.get(from);
      if (inode !== undefined) names.set(to, inode);
      names.delete(from);
    });
  }

  async remove(path: string): Promise<void> {
    await this.step('remove', path);
    this.#change((names) => names.delete(path));
  }

  async syncDirectory(path: string): Promise<void> {
    await this.step('syncDirectory', path);
    this.#durableNames = new Map(this.#names);
    this.#nameChanges = [];
  }

  /** Replaces a file's content, durably: for tests that damage it. */
  overwrite(path: string, bytes: Buffer | undefined): void {
    const inode = bytes && { cached: Buffer.from(bytes), durable: Buffer.from(bytes), recent: [] };
    for (const names of [this.#names, this.#durableNames]) {
      if (inode === undefined) names.delete(path);
      else names.set(path, inode);
    }
  }

  paths(): string[] {
    return [...this.#names.keys()].sort();
  }

  /** The disk as a new process finds it after this one was killed: all that was written is there. Ends this disk. */
  afterKill(): SimulatedDisk {
    this.#isOff = true;
    const next = new SimulatedDisk();
    for (const [path, inode] of this.#names) next.overwrite(path, inode.cached);
    return next;
  }

  /** The disk after the power failed: synced bytes and names, and any choice of the rest. Ends this disk. */
  afterPowerCut(random: Random): SimulatedDisk {
    this.#isOff = true;
    const names = new Map(this.#durableNames);
    for (const nameChange of this.#nameChanges.slice(0, random.integer(this.#nameChanges.length + 1)))
      nameChange(names);
    const next = new SimulatedDisk();
    for (const [path, inode] of names) next.overwrite(path, survive(inode, random));
    return next;
  }

  /** One step: others may run, then it fails or happens. */
  async step(step: DiskOperation, path: string): Promise<void> {
    await Promise.resolve();
    this.performNow(step, path);
  }

  performNow(step: DiskOperation, path: string): void {
    if (!this.#isOff) this.onStep(step, path);
    if (this.#isOff) throw new Error('the power is off');
  }

  get used(): number {
    let used = 0;
    for (const inode of this.#names.values()) used += inode.cached.length;
    return used;
  }

  #change(nameChange: NameChange): void {
    nameChange(this.#names);
    this.#nameChanges.push(nameChange);
  }
}

class SimulatedFile implements DiskFile {
  constructor(
    readonly disk: SimulatedDisk,
    readonly path: string,
    readonly inode: Inode,
    readonly durable: boolean,
  ) {}

  async write(bytes: Uint8Array, position: number): Promise<void> {
    await this.disk.step('write', this.path);
    const growth = Math.max(0, position + bytes.length - this.inode.cached.length);
    const room = this.disk.capacity - this.disk.used;
    const fits = growth <= room ? bytes.length : Math.max(0, bytes.length - (growth - room));
    const written = change(this.inode, { kind: 'write', bytes: Buffer.from(bytes.subarray(0, fits)), position });
    if (fits < bytes.length) throw diskError('ENOSPC', 'no space left on device');
    if (!this.durable) return;
    await this.disk.step('written', this.path);
    // A file's size and blocks change in order, so truncations before a write that can be read back are durable too.
    const before = this.inode.recent.slice(0, this.inode.recent.indexOf(written) + 1);
    makeDurable(
      this.inode,
      before.filter((other) => other === written || other.what.kind === 'truncate'),
    );
  }

  writeNow(bytes: Uint8Array, position: number): void {
    this.disk.performNow('mark', this.path);
    change(this.inode, { kind: 'write', bytes: Buffer.from(bytes), position });
  }

  async sync(): Promise<void> {
    await this.disk.step('sync', this.path);
    const changes = [...this.inode.recent];
    await this.disk.step('synced', this.path);
    makeDurable(this.inode, changes);
  }

  async truncate(length: number): Promise<void> {
    await this.disk.step('truncate', this.path);
    change(this.inode, { kind: 'truncate', length });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export function diskError(code: 'ENOSPC' | 'EIO', message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

function change(inode: Inode, what: FileChange): Recent {
  inode.cached = applied(inode.cached, what);
  const made = { what, isDurable: false };
  inode.recent.push(made);
  return made;
}

/** What is durable keeps its place behind older changes that are not: those never cover it later. */
function makeDurable(inode: Inode, changes: readonly Recent[]): void {
  for (const made of changes) made.isDurable = true;
  const unsynced = inode.recent.findIndex(({ isDurable }) => !isDurable);
  const settled = inode.recent.splice(0, unsynced < 0 ? inode.recent.length : unsynced);
  for (const { what } of settled) inode.durable = applied(inode.durable, what);
}

/** May change `bytes` itself. */
function applied(bytes: Buffer, what: FileChange): Buffer {
  if (what.kind === 'truncate') return resized(bytes, what.length);
  const end = what.position + what.bytes.length;
  const result = end <= bytes.length ? bytes : resized(bytes, end);
  what.bytes.copy(result, what.position);
  return result;
}

function resized(bytes: Buffer, length: number): Buffer {
  const result = Buffer.alloc(length);
  bytes.copy(result);
  return result;
}

/** Applies the durable changes and some of the others: truncations whole, writes sector by sector. */
function survive(inode: Inode, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(inode.durable);
  for (const { what, isDurable } of inode.recent) {
    if (isDurable || what.kind === 'truncate') {
      if (isDurable || random.chance(0.5)) bytes = applied(bytes, what);
      continue;
    }
    const share = random.pick([0, 0.5, 0.9, 1]);
    const end = what.position + what.bytes.length;
    for (let from = what.position; from < end; ) {
      const to = Math.min(end, from - (from % SECTOR) + SECTOR);
      if (random.chance(share))
        bytes = applied(bytes, {
          kind: 'write',
          position: from,
          bytes: what.bytes.subarray(from - what.position, to - what.position),
        });
      from = to;
    }
  }
  return bytes;
}

export const SIMULATED_DIRECTORY = join('/', 'simulated');
