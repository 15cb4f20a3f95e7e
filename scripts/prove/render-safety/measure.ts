import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

export interface Cost {
  /** Time that passed: the machine should have nothing else to do. */
  readonly seconds: number;
  /** By how much the memory of the process grew at its highest. */
  readonly megabytes: number;
}

const MEGABYTE = 1024 * 1024;

/**
 * Runs something and gives what it cost. Linux tells the highest memory since it was last asked to forget it. With
 * `isClean` the garbage of before is collected first: it would hide what this takes.
 */
export async function measure<T>(
  act: () => T | Promise<T>,
  isClean: boolean,
): Promise<{ readonly result: T; readonly cost: Cost }> {
  if (isClean) await collectGarbage();
  writeFileSync('/proc/self/clear_refs', '5');
  const [before, start] = [process.memoryUsage.rss(), performance.now()];
  const result = await act();
  return {
    result,
    cost: { seconds: (performance.now() - start) / 1000, megabytes: Math.max(0, highest() - before) / MEGABYTE },
  };
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

function highest(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (kilobytes === undefined)
    throw new Error(
      'this system does not tell the memory of a process (/proc/self/status has no VmHWM); run the proof on Linux',
    );
  return Number(kilobytes) * 1024;
}
