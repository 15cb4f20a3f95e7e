import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { runWorldCases } from '../testing/run-world-cases.js';

/** The example of docs/world.md: its blocks name their files in the first line. */
const page = readFileSync(join(import.meta.dirname, '../../../docs/world.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'argosy-docs-world-'));
for (const [, path = '', text = ''] of page.matchAll(/^```yaml\n# (controllers\/\S+)\n(.*?)^```$/gms)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

runWorldCases(folder);
