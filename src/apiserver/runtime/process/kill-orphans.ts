import { readFileSync, readdirSync } from 'node:fs';

/**
 * Ends processes of containers that a server left behind: one that was killed in the moment when their sandbox was
 * made. They are known by a file of their pod that only their root shows.
 */
export function killOrphans(pods: readonly string[]): number {
  if (pods.length === 0 || process.platform !== 'linux') return 0;
  const marks = pods.map((uid) => `/pods/${uid}/containers/`);
  const left = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const mounts = mountsOf(pid);
      return marks.some((mark) => mounts.includes(mark));
    });
  for (const pid of left) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return left.length;
}

function mountsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    return ''; // ended meanwhile, or somebody else's
  }
}
