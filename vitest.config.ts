import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'world/**/*.test.ts', 'checks/**/*.test.ts', 'contracts/**/*.test.ts'],
    // Two cores: more workers only make real servers time out.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    execArgv: ['--disable-proto=delete'],
  },
});
