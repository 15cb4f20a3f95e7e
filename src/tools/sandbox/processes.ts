import { readFile } from 'node:fs/promises';

/** When a process began, in ticks since boot; undefined where it is gone or the system does not tell. */
export async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name in brackets may hold anything; the start is the 20th field after it.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Whether the process that began then is alive; another one may have got its number since. */
export async function isRunning(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const now = await startOf(pid);
  return start === '' || now === undefined || now === start;
}

/** Ends a process with all that it started. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Already gone, which is what is wanted.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}
