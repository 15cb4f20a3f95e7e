import { mkdir, open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

const ID = /^[0-9a-f]{32}$/;
/** A file with so many lines is written anew, with those that still count. */
const MAX_LINES = 200;

/**
 * Delivered messages that are not yet recorded on their application, on disk: the next process with the same data
 * directory does not send them again. Without the directory only the message id shows a duplicate.
 */
export class DeliveryLog {
  readonly #ids: Set<string>;
  #lines = 0;
  #file: FileHandle | undefined;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;

  private constructor(
    readonly path: string,
    readonly report: (problem: string) => void,
    ids: readonly string[],
  ) {
    this.#ids = new Set(ids);
    this.#lines = ids.length;
  }

  static async open(path: string, report: (problem: string) => void): Promise<DeliveryLog> {
    let text = '';
    try {
      text = await readFile(path, 'utf8');
    } catch {
      // It does not exist before the first message; an unreadable one is reported when it cannot be written either.
    }
    return new DeliveryLog(
      path,
      report,
      text.split('\n').filter((line) => ID.test(line)),
    );
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** On the disk when it resolves. */
  append(id: string): Promise<void> {
    this.#ids.add(id);
    return this.#then(async () => {
      this.#file ??= await this.#create('a');
      await this.#file.write(`${id}\n`);
      await this.#file.datasync();
      this.#lines++;
    });
  }

  /** The applications have recorded it by now. */
  async remove(ids: readonly string[]): Promise<void> {
    const known = ids.filter((id) => this.#ids.delete(id));
    if (known.length > 0 && (this.#ids.size === 0 || this.#lines > MAX_LINES)) await this.#then(() => this.#rewrite());
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #rewrite(): Promise<void> {
    const ids = [...this.#ids];
    await this.#file?.close();
    this.#file = undefined;
    await writeFile(`${this.path}.new`, ids.map((id) => `${id}\n`).join(''), { mode: 0o600 });
    await rename(`${this.path}.new`, this.path);
    this.#lines = ids.length;
  }

  async #create(flags: string): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true });
    return await open(this.path, flags, 0o600);
  }

  /** One after the other; a disk that does not take it is no reason to stay silent. */
  #then(write: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(write).then(
      () => {
        this.#isBroken = false;
      },
      (error: unknown) => {
        if (!this.#isBroken)
          this.report(
            `${this.path} cannot be written: ${error instanceof Error ? error.message : String(error)}; ` +
              'after a crash a message may be sent twice',
          );
        this.#isBroken = true;
      },
    );
    return this.#last;
  }
}
