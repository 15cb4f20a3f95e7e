import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

const SLOT = 512;
const MAX_SLOTS = 1024;

/**
 * What a process works on, where another process finds it after this one ended: a slot for each object, written before
 * the work begins and cleared when it ends. It is never synced: what it is for is a process that dies, not a machine.
 */
export class WorkFile {
  readonly #fd: number;
  readonly #free: number[] = [];
  #slots = 0;
  /** What was being worked on when the last process ended. */
  readonly left: readonly string[];

  constructor(path: string) {
    this.left = readSlots(path);
    this.#fd = openSync(path, 'w', 0o600);
  }

  /** Gives what ends it. More than a thousand at once are not kept. */
  begin(name: string): () => void {
    const slot = this.#free.pop() ?? (this.#slots < MAX_SLOTS ? this.#slots++ : undefined);
    const bytes = Buffer.alloc(SLOT);
    if (slot === undefined || bytes.write(name) >= SLOT) return () => undefined;
    this.#write(bytes, slot);
    return () => {
      this.#write(Buffer.alloc(1), slot);
      this.#free.push(slot);
    };
  }

  /** After a clean end nothing was worked on. */
  close(): void {
    ftruncateSync(this.#fd, 0);
    closeSync(this.#fd);
  }

  #write(bytes: Buffer, slot: number): void {
    try {
      writeSync(this.#fd, bytes, 0, bytes.length, slot * SLOT);
    } catch {
      // A full disk must not stop the work; then it is not known what was worked on.
    }
  }
}

function readSlots(path: string): string[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return [];
  }
  const names: string[] = [];
  for (let at = 0; at < bytes.length; at += SLOT) {
    const slot = bytes.subarray(at, at + SLOT);
    const name = slot.subarray(0, Math.max(0, slot.indexOf(0))).toString('utf8');
    if (name !== '') names.push(name);
  }
  return names;
}
