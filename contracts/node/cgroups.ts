import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Of every node that runs here; the number is of the process whose end means that nothing may be left. */
const NAME = /^argosy-node-(\d+)$/;
const ROOT = '/sys/fs/cgroup';
const TRIES = 100;

/** One cgroup in each hierarchy, named by the first process of the node: kubelet makes those of its pods below it. */
export function makeCgroups(pid: number): string {
  const name = `argosy-node-${pid}`;
  for (const hierarchy of hierarchies()) {
    mkdirSync(join(hierarchy, name), { recursive: true });
    // Version 1 begins a cpuset empty, in which nothing can run.
    for (const setting of ['cpuset.cpus', 'cpuset.mems']) {
      const outer = join(hierarchy, setting);
      if (existsSync(outer)) writeFileSync(join(hierarchy, name, setting), readFileSync(outer));
    }
  }
  return `/${name}`;
}

/** A process needs a moment to leave its cgroup after its end. */
export async function removeCgroups(cgroup: string): Promise<void> {
  for (let tries = 0; tries < TRIES && hierarchies().some((path) => !removeTree(join(path, cgroup))); tries += 1)
    await delay(50);
}

/** Removes those of nodes whose test was killed. */
export function sweepCgroups(): void {
  for (const hierarchy of hierarchies()) {
    for (const name of readdirSync(hierarchy)) {
      const pid = NAME.exec(name)?.[1];
      if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeTree(join(hierarchy, name));
    }
  }
}

function hierarchies(): string[] {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT];
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, entry.name, 'cgroup.procs')))
    .map(({ name }) => join(ROOT, name));
}

/** False where something still lives in it. */
function removeTree(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) removeTree(join(path, entry.name));
    rmdirSync(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EBUSY' || error.code === 'ENOENT')) return false;
    throw error;
  }
}
