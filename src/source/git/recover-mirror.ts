import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Clock } from '../common/index.js';

const PID_FILE = 'argosy.pid';
const WAIT_MILLISECONDS = 10;
const MAX_WAITS = 500;

/** Notes the git process that writes to a mirror, so that a later start can end it where we were killed. */
export async function recordWriter(directory: string, pid: number): Promise<void> {
  await writeFile(join(directory, PID_FILE), `${pid} ${(await startOf(pid)) ?? ''}\n`);
}

export async function clearWriter(directory: string): Promise<void> {
  await rm(join(directory, PID_FILE), { force: true });
}

/**
 * Makes a mirror usable after a kill: ends the git that a killed Argosy left behind, then removes its locks and
 * unfinished packs. Only one Argosy works in a data directory, so no other writer is alive.
 */
export async function recoverMirror(directory: string, clock: Clock): Promise<void> {
  await endWriter(directory, clock);
  await removeLeftovers(directory);
  await clearWriter(directory);
}

/** Locks and unfinished packs; only safe while nobody writes. */
export async function removeLeftovers(directory: string): Promise<void> {
  const top = await names(directory);
  for (const name of top.filter((entry) => entry.endsWith('.lock'))) await rm(join(directory, name), { force: true });
  for (const folder of ['refs', 'objects/info']) {
    const entries = await readdir(join(directory, folder), { recursive: true }).catch(() => [] as string[]);
    for (const name of entries.filter((entry) => entry.endsWith('.lock')))
      await rm(join(directory, folder, name), { force: true });
  }
  const packs = join(directory, 'objects/pack');
  for (const name of (await names(packs)).filter((entry) => /^(tmp_|\.tmp-)/.test(entry) || entry.endsWith('.lock')))
    await rm(join(packs, name), { force: true });
  for (const name of (await names(join(directory, 'objects'))).filter((entry) => entry.startsWith('tmp_')))
    await rm(join(directory, 'objects', name), { recursive: true, force: true });
}

async function endWriter(directory: string, clock: Clock): Promise<void> {
  const note = await readFile(join(directory, PID_FILE), 'utf8').catch(() => '');
  const [, pid = '', started = ''] = /^(\d+) (\d*)\n/.exec(note) ?? [];
  if (pid === '') return;
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const now = await startOf(Number(pid));
    const isGone = now === undefined ? !isAlive(Number(pid)) : now !== started;
    if (isGone) return;
    // Another process with the same number has another start; one without a known start is left alone.
    if (waits === 0 && started !== '' && now === started) killGroup(Number(pid));
    await new Promise<void>((resolve) => {
      clock.after(WAIT_MILLISECONDS, resolve);
    });
  }
  throw new Fault('SOURCE_UNREACHABLE', `git process ${pid}, which was left behind, still writes to the mirror`);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}

/** When a process started, where the system tells; with the number it names a process for good. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A process that ended and was not waited for counts as gone.
  return fields[0] === 'Z' ? undefined : fields[19];
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
