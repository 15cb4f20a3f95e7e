import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Fault } from '../../model/faults/index.js';
import type { Allowance } from '../common/index.js';

export type ObjectKind = 'commit' | 'tree' | 'blob' | 'tag';

/** An object of a repository; `bytes` is undefined where it is larger than the allowance. */
export interface GitObject {
  readonly id: string;
  readonly kind: ObjectKind;
  readonly size: number;
  readonly bytes?: Buffer;
}

/** The objects of a mirror cannot be read: it is damaged, or git itself does not run. */
export class UnreadableMirror extends Fault {
  constructor() {
    super('SOURCE_UNREACHABLE', 'git cannot read the mirror of the repository');
  }
}

interface Request {
  readonly id: string;
  tries: number;
  readonly allowance: Allowance;
  readonly resolve: (object: GitObject | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** More than this is not read to its end only to be thrown away. */
const WORTH_SKIPPING = 32 * 1024 * 1024;
/** Deaths in a row, without an answer in between. */
const MAX_FAILURES = 4;
/** How many questions wait inside git; the rest wait here. */
const IN_FLIGHT = 512;

/**
 * One `git cat-file --batch` that lives as long as it is used. It starts in a repository without remotes and reads the
 * objects of a mirror, so it can never talk to a server: what the mirror lacks is undefined.
 */
export class ObjectReader {
  readonly #start: () => ChildProcessByStdio<Writable, Readable, Readable>;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  readonly #waiting: Request[] = [];
  #sent: Request[] = [];
  #chunks: Buffer[] = [];
  #buffered = 0;
  #header: (GitObject & { readonly isKept: boolean }) | undefined;
  #failures = 0;

  constructor(objects: string, reader: string, environment: Readonly<Record<string, string>>) {
    this.#start = () =>
      spawn('git', ['cat-file', '--batch'], {
        cwd: reader,
        env: { ...environment, GIT_DIR: reader, GIT_OBJECT_DIRECTORY: objects },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
  }

  /** The object, or undefined where the mirror does not have it. */
  read(id: string, allowance: Allowance): Promise<GitObject | undefined> {
    if (!/^[0-9a-f]{40}$/.test(id)) return Promise.reject(new Fault('SOURCE_INVALID', 'an object id is not one'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, allowance, resolve, reject, tries: 0 });
      this.#send();
    });
  }

  close(): void {
    this.#stop();
    const closed = new Fault('SOURCE_UNREACHABLE', 'the repository was closed while it was read');
    for (const request of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) request.reject(closed);
  }

  #send(): void {
    const next = this.#waiting.splice(0, Math.max(0, IN_FLIGHT - this.#sent.length));
    if (next.length === 0) return;
    this.#sent.push(...next);
    this.#child ??= this.#open();
    this.#child.stdin.write(next.map(({ id }) => `${id}\n`).join(''));
  }

  #open(): ChildProcessByStdio<Writable, Readable, Readable> {
    const child = this.#start();
    child.stdin.on('error', () => undefined);
    child.stderr.resume();
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#child === child) this.#receive(chunk);
    });
    child.once('error', () => {
      this.#died(child);
    });
    child.once('close', () => {
      this.#died(child);
    });
    return child;
  }

  #stop(): void {
    const child = this.#child;
    this.#child = undefined;
    [this.#chunks, this.#buffered, this.#header] = [[], 0, undefined];
    child?.kill('SIGKILL');
  }

  /** A process that died is started again; the object at which it died twice is given up. */
  #died(child: ChildProcessByStdio<Writable, Readable, Readable>): void {
    if (this.#child !== child) return;
    this.#stop();
    const asked = this.#sent.splice(0);
    const [first] = asked;
    if (first === undefined) return;
    this.#failures++;
    let lost: typeof asked = [];
    if (this.#failures > MAX_FAILURES) lost = [...asked.splice(0), ...this.#waiting.splice(0)];
    else if (++first.tries > 1) lost = asked.splice(0, 1);
    for (const request of lost) request.reject(new UnreadableMirror());
    if (this.#failures > MAX_FAILURES) this.#failures = 0;
    this.#waiting.unshift(...asked);
    this.#send();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#step()) this.#failures = 0;
    this.#send();
  }

  /** Reads one header or one content, where it has arrived whole. */
  #step(): boolean {
    const request = this.#sent[0];
    if (request === undefined) return false;
    if (this.#header === undefined) return this.#readHeader(request);
    const { size, isKept, id, kind } = this.#header;
    if (this.#buffered < size + 1) {
      if (!isKept) this.#dropBuffered();
      return false;
    }
    this.#header = undefined;
    const bytes = settle(this.#take(size + 1).subarray(0, size));
    this.#sent.shift();
    request.resolve(isKept ? { id, kind, size, bytes } : { id, kind, size: this.#skipped + size });
    this.#skipped = 0;
    return true;
  }

  #skipped = 0;

  /** Keeps the memory small while a large object passes by. */
  #dropBuffered(): void {
    const header = this.#header;
    if (header === undefined || this.#buffered === 0) return;
    const dropped = this.#buffered;
    this.#take(dropped);
    this.#skipped += dropped;
    this.#header = { ...header, size: header.size - dropped };
  }

  #readHeader(request: Request): boolean {
    const line = this.#takeLine();
    if (line === undefined) return false;
    const [id = '', kind = '', size = ''] = line.split(' ');
    if (kind === 'missing' || kind === 'ambiguous' || id !== request.id) {
      this.#sent.shift();
      if (kind === 'missing') request.resolve(undefined);
      else request.reject(new Fault('SOURCE_UNREACHABLE', 'git gave an answer to another question'));
      return true;
    }
    const header = { id, kind: kind as ObjectKind, size: Number(size) };
    const isKept = request.allowance.tryTake(header.size);
    if (!isKept && header.size > WORTH_SKIPPING) return this.#giveUp(request, header);
    this.#header = { ...header, isKept };
    return true;
  }

  #giveUp(request: Request, header: GitObject): boolean {
    this.#stop();
    this.#sent.shift();
    request.resolve(header);
    this.#waiting.unshift(...this.#sent.splice(0));
    return false;
  }

  #takeLine(): string | undefined {
    let before = 0;
    for (const chunk of this.#chunks) {
      const at = chunk.indexOf(10);
      if (at >= 0)
        return this.#take(before + at + 1)
          .subarray(0, -1)
          .toString('latin1');
      before += chunk.length;
    }
    return undefined;
  }

  #take(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= bytes) {
      this.#buffered -= bytes;
      if (first.length === bytes) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(bytes);
      return first.subarray(0, bytes);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.length > bytes ? [all.subarray(bytes)] : [];
    this.#buffered -= bytes;
    return all.subarray(0, bytes);
  }
}

/** A small part of a large buffer would keep all of it in memory. */
function settle(bytes: Buffer): Buffer {
  return bytes.length * 2 < bytes.buffer.byteLength
    ? Buffer.from(Uint8Array.prototype.slice.call(bytes).buffer)
    : bytes;
}
