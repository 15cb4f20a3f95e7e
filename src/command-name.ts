import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, parseJson } from './model/json/index.js';

/**
 * How the user calls this program, for hints: `npx argosy` in a checkout, `npx ./argosy-dev-argosy-1.2.3.tgz` where npx
 * unpacked one, `argosy` where it is installed. Elsewhere `npx argosy` would run a package of somebody else.
 */
export function commandName(): string {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  if (existsSync(join(root, 'src/main.ts'))) return 'npx argosy';
  const [, cache] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]node_modules[\\/]/.exec(root) ?? [];
  const spec = cache === undefined ? undefined : specOf(join(cache, 'package.json'));
  return spec === undefined ? 'argosy' : `npx ${spec}`;
}

/** What npx was asked for, as it notes beside what it installs. */
function specOf(file: string): string | undefined {
  try {
    const note = parseJson(readFileSync(file, 'utf8'));
    const packages = isObject(note) && isObject(note._npx) ? note._npx.packages : undefined;
    return Array.isArray(packages) && typeof packages[0] === 'string' ? packages[0] : undefined;
  } catch {
    // A newer npx may note it elsewhere.
    return undefined;
  }
}
