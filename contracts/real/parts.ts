import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const KUBERNETES_VERSION = 'v1.34.4';

const VERSION_FLAGS = [
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=34',
].join(' ');

/** Each program and the Go package that is its main. */
const PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const;

type PartName = keyof typeof PACKAGES;

/** Full paths of the built programs, or the reason why this machine cannot have them. */
type Parts =
  | { readonly kind: 'built'; readonly path: (name: PartName) => string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The real control plane of Kubernetes, built once into a cache outside the repository and then reused. About six
 * minutes the first time. A machine without Go or without the module proxy gets `missing`, so that a suite can be
 * skipped by name instead of failing.
 */
export async function realParts(names: readonly PartName[] = Object.keys(PACKAGES) as PartName[]): Promise<Parts> {
  const dir = partsDir();
  const path = (name: PartName): string => join(dir, name);
  if (names.every((name) => existsSync(path(name)))) return { kind: 'built', path };
  if (!(await hasGo())) return { kind: 'missing', reason: 'no Go toolchain' };
  await mkdir(dir, { recursive: true });
  const unlock = await lock(join(dir, '.lock'));
  try {
    for (const name of names) {
      if (!existsSync(path(name))) await build(name, path(name));
    }
    return { kind: 'built', path };
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'missing', reason: 'the Go module proxy is not reachable' };
    throw error;
  } finally {
    await unlock();
  }
}

/** Thrown where this machine cannot have a part; the message is the name of the skip. */
class PartMissing extends Error {}

/** The full path of one program. */
export async function builtPart(name: PartName): Promise<string> {
  const parts = await realParts([name]);
  if (parts.kind === 'missing') throw new PartMissing(`skipped: ${name} (${parts.reason})`);
  return parts.path(name);
}

function partsDir(): string {
  const cache = process.env['ARGOSY_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'argosy');
  return join(cache, 'parts', `kubernetes-${KUBERNETES_VERSION}`);
}

async function hasGo(): Promise<boolean> {
  try {
    await run('go', ['version']);
    return true;
  } catch {
    // Not installed or not runnable: both mean that nothing can be built here.
    return false;
  }
}

async function build(name: PartName, path: string): Promise<void> {
  const unfinished = `${path}.${String(process.pid)}.tmp`;
  const args = ['build', '-mod=readonly', '-ldflags', `-s -w ${VERSION_FLAGS}`, '-o', unfinished, PACKAGES[name]];
  try {
    await run('go', args, {
      cwd: join(import.meta.dirname, 'go'),
      env: { ...process.env, CGO_ENABLED: '0' },
      maxBuffer: 64 << 20,
    });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** A network fault, as the go command words it; everything else is a fault of ours and must be seen. */
function isUnreachable(error: unknown): boolean {
  const text = error instanceof Error ? error.message : '';
  return /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake timeout|module lookup disabled/.test(text);
}

/** Two suites that start at once build once: the second waits for the first, and takes over if that one died. */
async function lock(dir: string): Promise<() => Promise<void>> {
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
