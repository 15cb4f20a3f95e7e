import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { crc32c } from './crc32c.js';
import type { Disk, DiskFile } from './disk.js';

const NAME = 'acked';
const SLOT = 512;
const MAGIC = 0x6b634141; // "AAck"

/**
 * The newest acknowledged revision, in a file of its own. It is written after the log and before the answer, so it is
 * never ahead of the log; a log that ends before it has lost acknowledged writes, which the log alone could not
 * distinguish from an unfinished write. It is not synced each time: after a power cut it may be older, which only makes
 * the check weaker. Two slots take turns, so that one is always whole.
 */
export class AckedMark {
  #turn = 0;
  readonly #bytes = Buffer.alloc(16);

  private constructor(readonly file: DiskFile) {}

  /** The marked revision; undefined where there is no file. */
  static async read(disk: Disk, directory: string): Promise<number | undefined> {
    const path = join(directory, NAME);
    const bytes = await disk.read(path);
    if (bytes === undefined || bytes.length === 0) return undefined;
    const revisions = [0, SLOT].flatMap((at) => readSlot(bytes, at) ?? []);
    if (revisions.length === 0) {
      throw new Fault(
        'STORE_CORRUPT',
        `the mark of acknowledged writes is damaged: neither of its two slots matches its checksum`,
        { where: path },
      );
    }
    return Math.max(...revisions);
  }

  /** Opens the mark and sets both slots to `revision`. */
  static async open(disk: Disk, directory: string, revision: number): Promise<AckedMark> {
    const mark = new AckedMark(await disk.open(join(directory, NAME), { durable: false, empty: false }));
    await mark.reset(revision);
    return mark;
  }

  async reset(revision: number): Promise<void> {
    this.set(revision);
    this.set(revision);
    await this.file.sync();
  }

  set(revision: number): void {
    const bytes = this.#bytes;
    bytes.writeUInt32LE(MAGIC, 0);
    bytes.writeUIntLE(revision, 8, 6);
    bytes.writeUInt32LE(crc32c(bytes, 8), 4);
    this.#turn = 1 - this.#turn;
    this.file.writeNow(bytes, this.#turn * SLOT);
  }

  async close(): Promise<void> {
    await this.file.sync();
    await this.file.close();
  }
}

function readSlot(bytes: Buffer, at: number): number | undefined {
  if (
    bytes.length < at + 16 ||
    bytes.readUInt32LE(at) !== MAGIC ||
    bytes.readUInt32LE(at + 4) !== crc32c(bytes, at + 8, at + 16)
  )
    return undefined;
  return bytes.readUIntLE(at + 8, 6);
}
