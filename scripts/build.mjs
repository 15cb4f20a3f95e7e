// Compiles src/ to dist/ where something changed, and makes dist/main.js a program.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript-native/bin/tsc', import.meta.url));
const run = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);
for (const data of ['src/apiserver/schema/data']) {
  if (existsSync(`${root}${data}`)) cpSync(`${root}${data}`, `${root}${data.replace(/^src/, 'dist')}`, { recursive: true });
}
if (existsSync(`${root}dist/main.js`)) chmodSync(`${root}dist/main.js`, 0o755);
