import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How long main threads are busy at a time, of processes that start with `environment` and of their children. */
export class ThreadMeter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'argosy-threads-'));

  get environment(): Readonly<Record<string, string>> {
    const module = pathToFileURL(join(import.meta.dirname, 'thread-meter.mjs')).href;
    return { NODE_OPTIONS: `--import=${module}`, ARGOSY_THREAD_METER: this.#folder };
  }

  /** The longest since the last time, in milliseconds on a CPU; 0 where no turn took long. */
  longestBusy(): number {
    const file = join(this.#folder, 'busy');
    const lines = read(file).split('\n').filter(Boolean);
    writeFileSync(file, '');
    return Math.max(0, ...lines.map((line) => Number(line.split(' ')[1])));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
