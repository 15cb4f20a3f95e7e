import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = 'faketime/libfaketime.so.1';

/** The time of day as one process sees it, which may jump or run at another speed; what only grows goes on as it is. */
export class WallClock {
  readonly #file: string;

  constructor(
    dir: string,
    readonly library: string,
  ) {
    this.#file = join(dir, 'wall-clock');
    this.set('+0');
  }

  /** What a process needs to see this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  /** In the words of libfaketime: `+3600`, `-1d`, `+0 x2`. */
  set(time: string): void {
    writeFileSync(this.#file, `${time}\n`);
  }
}

/** Debian's libfaketime; undefined where it is not installed. */
export function findFakeTime(): string | undefined {
  const folders = [
    '/usr/lib',
    ...readdirSync('/usr/lib')
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join('/usr/lib', name)),
  ];
  return folders.map((folder) => join(folder, LIBRARY)).find((path) => existsSync(path));
}
