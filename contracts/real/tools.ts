import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasGo, isUnreachable, lock, partsDir, type GoProgram } from './go-build.js';

const run = promisify(execFile);

/** The programs that Argo CD 3.5.6 renders with, and the one that plays nodes beside a real control plane. */
const TOOLS = {
  helm: { target: 'helm.sh/helm/v4/cmd/helm', version: 'v4.2.1' },
  kustomize: { target: 'sigs.k8s.io/kustomize/kustomize/v5', version: 'v5.8.1' },
  kwok: { target: 'sigs.k8s.io/kwok/cmd/kwok', version: 'v0.7.0' },
} as const;

export type ToolName = keyof typeof TOOLS;

/** The version that answers are compared with; part of the key of everything that is kept of them. */
export function toolVersion(name: ToolName): string {
  return TOOLS[name].version;
}

/**
 * The full path of a tool, built once into the cache outside the repository. About two minutes the first time. A
 * machine without Go or without the module proxy gets `missing`, so that a suite can be skipped by name.
 */
export async function builtTool(name: ToolName): Promise<GoProgram> {
  const path = toolPath(name);
  const folder = dirname(path);
  if (existsSync(path)) return { kind: 'built', path };
  if (!(await hasGo())) return { kind: 'missing', reason: 'no Go toolchain' };
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, '.lock'));
  try {
    if (!existsSync(path)) await install(name, folder);
    return { kind: 'built', path };
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'missing', reason: 'the Go module proxy is not reachable' };
    throw error;
  } finally {
    await unlock();
  }
}

/** Where it is once it is built. */
export function toolPath(name: ToolName): string {
  return join(partsDir(`${name}-${TOOLS[name].version}`), name);
}

async function install(name: ToolName, folder: string): Promise<void> {
  const { target, version } = TOOLS[name];
  const unfinished = join(folder, `unfinished-${process.pid}`);
  try {
    // Outside any module, so that no go.mod nearby has a say in the versions.
    await run('go', ['install', '-ldflags', '-s -w', `${target}@${version}`], {
      cwd: '/',
      env: { ...process.env, CGO_ENABLED: '0', GOBIN: unfinished },
      maxBuffer: 64 << 20,
    });
    await rename(join(unfinished, name), join(folder, name));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
