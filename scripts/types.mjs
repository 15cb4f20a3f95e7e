// Checks the types of everything. What the compiler found out about each file outlives a clone, so that only what
// changed since the last check on this machine is checked again.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(process.env['ARGOSY_CACHE'] ?? join(homedir(), '.cache/argosy'), 'types');
mkdirSync(cache, { recursive: true });
// Inside of the clone, since it names files by their way from here; ignored by everything else.
const scratch = mkdtempSync(join(root, 'node_modules/.types-'));

let status = 0;
try {
  for (const [name, project] of [
    ['server', 'tsconfig.json'],
    ['page', 'web/tsconfig.json'],
  ]) {
    const [kept, used] = [join(cache, `${name}.tsbuildinfo`), join(scratch, `${name}.tsbuildinfo`)];
    if (existsSync(kept)) cpSync(kept, used);
    const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
    const args = [compiler, '--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', used];
    status ||= spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
    if (existsSync(used)) copyFileSync(used, kept);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(status);
