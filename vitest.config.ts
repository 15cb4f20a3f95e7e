import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites with real servers take longest and mostly wait: begun first, they leave no one else waiting at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => /\/(contracts|world\/demo)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      // Suites that start nothing share what they have loaded: a quarter less to do.
      { extends: true, test: { name: 'rooms', include: ['src/**/*.test.ts', 'web/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'whole', include: ['world/**/*.test.ts', 'runner/**/*.test.ts', 'checks/**/*.test.ts', 'contracts/**/*.test.ts'] } },
    ],
    // Two cores: more workers only make real servers time out.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Nothing is measured here: a busy machine may take its time.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    execArgv: ['--disable-proto=delete'],
  },
});
