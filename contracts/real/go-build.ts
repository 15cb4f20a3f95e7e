import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The full path of a built program, or the reason why this machine cannot have it. */
export type GoProgram =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

interface GoProgramOptions {
  /** The package that is its main; that of `dir` by default. */
  readonly target?: string;
  /** Values of variables, as the linker takes them. */
  readonly variables?: readonly string[];
}

/** A Go program that the module in `dir` has or requires, built once for each state of its text. */
export async function goProgram(
  name: string,
  dir: string,
  { target = '.', variables = [] }: GoProgramOptions = {},
): Promise<GoProgram> {
  const path = goProgramPath(name, dir);
  const folder = dirname(path);
  if (existsSync(path)) return { kind: 'built', path };
  if (!(await hasGo())) return { kind: 'missing', reason: 'no Go toolchain' };
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, '.lock'));
  try {
    const linked = ['-s -w', ...variables.map((variable) => `-X ${variable}`)].join(' ');
    if (!existsSync(path)) await buildGo({ dir, target, path, flags: ['-ldflags', linked] });
    return { kind: 'built', path };
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'missing', reason: 'the Go module proxy is not reachable' };
    throw error;
  } finally {
    await unlock();
  }
}

/** Where it is once it is built. */
export function goProgramPath(name: string, dir: string): string {
  const hash = createHash('sha256');
  const sources = readdirSync(dir)
    .filter((file) => file.endsWith('.go'))
    .sort();
  for (const file of ['go.mod', 'go.sum', ...sources]) hash.update(readFileSync(join(dir, file)));
  return join(partsDir(`${name}-${hash.digest('hex').slice(0, 12)}`), name);
}

/** A folder of the cache that holds what is built from others' source, outside the repository. */
export function partsDir(name: string): string {
  const cache =
    process.env['ARGOSY_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'argosy');
  return join(cache, 'parts', name);
}

export async function hasGo(): Promise<boolean> {
  try {
    await run('go', ['version']);
    return true;
  } catch {
    // Not installed or not runnable: both mean that nothing can be built here.
    return false;
  }
}

interface GoBuild {
  /** Where the module is. */
  readonly dir: string;
  /** The package that is the program's main. */
  readonly target: string;
  readonly path: string;
  readonly flags: readonly string[];
}

export async function buildGo({ dir, target, path, flags }: GoBuild): Promise<void> {
  const unfinished = `${path}.${String(process.pid)}.tmp`;
  try {
    await run('go', ['build', '-mod=readonly', ...flags, '-o', unfinished, target], {
      cwd: dir,
      env: { ...process.env, CGO_ENABLED: '0' },
      maxBuffer: 64 << 20,
    });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** A network fault, as the go command words it; everything else is a fault of ours and must be seen. */
export function isUnreachable(error: unknown): boolean {
  const text = error instanceof Error ? error.message : '';
  return /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake timeout|module lookup disabled/.test(
    text,
  );
}

/** Two suites that start at once build once: the second waits for the first, and takes over if that one died. */
export async function lock(dir: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await mkdir(dir);
      await writeFile(join(dir, 'pid'), String(process.pid));
      return () => rm(dir, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = Number(await readFile(join(dir, 'pid'), 'utf8').catch(() => '0'));
    if (owner !== 0 && !isAlive(owner)) await rm(dir, { recursive: true, force: true });
    else await delay(500);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
