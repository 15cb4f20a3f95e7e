// npm start: builds where sources are newer than dist/, then runs `argosy up` in this process. npm itself is asked only
// once.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSources } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const mark = join(root, 'dist/.built');

if (!existsSync(mark) || readFileSync(mark, 'utf8') !== describeSources(root)) {
  process.stderr.write('building Argosy\n');
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv.splice(1, 1, join(root, 'dist/main.js'), 'up');
await import('../dist/main.js');
