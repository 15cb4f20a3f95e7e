import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * How long suites took and what was compiled for them outlives a clone. Vitest clears a cache of another lock file,
 * even while another run reads it, so each lock file has its own.
 */
const LOCK = createHash('sha256')
  .update(readFileSync(join(import.meta.dirname, 'package-lock.json')))
  .digest('hex');
const CACHE = join(homedir(), '.cache/argosy/vitest', LOCK.slice(0, 12));

/** Suites with real servers mostly wait: begun first, the rooms fill what they leave, and none is last alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // By how long each took the last time, where that is known.
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      if (/\/(contracts|world)\//.test(moduleId)) return 0;
      // Bombs leave a large process behind, and what a process takes to start another one grows with its size.
      return /\/safety\//.test(moduleId) ? 2 : 1;
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

// One project: a worker is kept for the next suite only if that is of the same project.
export default defineConfig({
  cacheDir: CACHE,
  test: {
    include: ['{src,web,world,runner,checks,contracts}/**/*.test.ts'],
    // Suites share what a worker has loaded: to load it for each of them was a third of the work.
    isolate: false,
    experimental: { fsModuleCache: true, fsModuleCachePath: join(CACHE, 'modules') },
    // Twice the cores of a small machine: suites with servers wait much of their time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Nothing is measured here: a busy machine may take its time.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    execArgv: ['--disable-proto=delete'],
  },
});
