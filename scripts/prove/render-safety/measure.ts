import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

export interface Cost {
  /** Time that passed, but for that in which other programs had the processor. */
  readonly seconds: number;
  /** How long the processor was with others while this could have run. */
  readonly waited: number;
  /** By how much the memory of the process grew at its highest. */
  readonly megabytes: number;
}

const MEGABYTE = 1024 * 1024;

/**
 * Runs something and gives what it cost. Linux tells the highest memory since it was last asked to forget it. With `isClean` the
 * garbage of before is collected first: it would hide what this takes.
 */
export async function measure<T>(act: () => T | Promise<T>, isClean: boolean): Promise<{ readonly result: T; readonly cost: Cost }> {
  if (isClean) await collectGarbage();
  writeFileSync('/proc/self/clear_refs', '5');
  const [before, waitedBefore, start] = [process.memoryUsage.rss(), waitedSoFar(), performance.now()];
  const result = await act();
  const passed = (performance.now() - start) / 1000;
  const waited = waitedSoFar() - waitedBefore;
  return { result, cost: { seconds: passed - waited, waited, megabytes: Math.max(0, highest() - before) / MEGABYTE } };
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** Seconds in which the main thread could have run and another program did: Linux keeps count, so that a busy machine does not matter. */
function waitedSoFar(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
}

function highest(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error('this system does not tell the memory of a process (/proc/self/status has no VmHWM); run the proof on Linux');
  return Number(kilobytes) * 1024;
}
