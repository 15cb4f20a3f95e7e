import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { proof } from '../../scripts/prove/pod-escapes.js';
import { missingWalls } from '../../src/apiserver/runtime/process/sandbox.js';

const walls = missingWalls();
const hasPython = spawnSync('python3', ['-c', '']).status === 0;
const missing = [...walls, ...(hasPython ? [] : ['python3'])];
const skipped = missing.length === 0 ? '' : ` (skipped: ${missing.join('; ').replaceAll(/[()]/g, '')})`;

it.skipIf(missing.length > 0)(`a pod that runs as a process gets nothing of this machine${skipped}`, async () => {
  const lines: string[] = [];
  const { figures } = await proof.run({ seed: 1, size: proof.sizes.smoke, log: (line) => void lines.push(line) });
  expect(lines).toEqual([]);
  expect(figures['attempts']).toBeGreaterThan(60);
});
