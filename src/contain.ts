import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from './model/logging/index.js';
import { containProcess } from './net/containment/index.js';

/**
 * Keeps this process alive whatever an object, a request or a repository does; after too many failures it ends with a
 * sentence. `part` names its folder in the data directory.
 */
export function contain(data: string, part: string, log: Logger, isAfterCrash = false): { close(): void } {
  const directory = join(data, 'containment', part);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return containProcess({
    directory,
    isAfterCrash,
    now: Date.now,
    log,
    giveUp: (fault) => {
      process.stderr.write(`argosy: ${fault.message} (${fault.where}). ${fault.hint}\n`);
      process.exit(EXIT_GIVEN_UP);
    },
  });
}

const EXIT_GIVEN_UP = 20;
