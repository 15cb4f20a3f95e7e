import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** One line that a container wrote. */
export interface LogLine {
  readonly time: Date;
  readonly text: string;
}

/** A file that has become larger makes room for a new one; the one before is kept, as the kubelet's rotation does. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The log of one run of a container, on disk: a time and a text on each line. */
export class LogFile {
  #descriptor: number | undefined;
  #size = 0;

  constructor(
    readonly folder: string,
    readonly name: string,
  ) {}

  append({ time, text }: LogLine): void {
    if (this.#descriptor === undefined) this.#open();
    const bytes = Buffer.from(`${time.toISOString()} ${text}\n`);
    writeSync(this.#descriptor ?? 0, bytes);
    this.#size += bytes.length;
    if (this.#size < MAX_FILE_BYTES) return;
    this.close();
    renameSync(this.#path(), this.#path('.1'));
  }

  read(): LogLine[] {
    return [this.#path('.1'), this.#path()]
      .filter((path) => existsSync(path))
      .flatMap((path) => {
        // The last line may be half written when the machine went down.
        const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
        return lines.map((line) => ({ time: new Date(line.slice(0, 24)), text: line.slice(25) }));
      });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #path(suffix = ''): string {
    return join(this.folder, `${this.name}.log${suffix}`);
  }

  #open(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(this.#path(), 'a', 0o600);
    this.#size = statSync(this.#path()).size;
  }
}
