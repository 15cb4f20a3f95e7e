import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Controller } from '../controller-runtime/index.js';
import { openMemoryCluster } from './memory-cluster.js';
import { playCase } from './play-case.js';

/**
 * One test for each folder in `directory`: given.yaml (objects that exist), steps.yaml (what happens, one document per
 * step), expect.yaml (what is true afterwards). The world settles after each step; time passes only where a step says
 * so.
 */
export function runCases(title: string, directory: string, controllers: readonly Controller[]): void {
  describe(title, () => {
    for (const folder of readdirSync(directory).sort()) {
      it(folder.replaceAll('-', ' '), async () => {
        const cluster = await openMemoryCluster(controllers);
        try {
          await playCase(cluster, `${directory}/${folder}`, (actual, expected, about) =>
            expect(actual, about).toEqual(expected),
          );
          expect(cluster.logged).toEqual([]);
        } finally {
          await cluster.close();
        }
      });
    }
  });
}
