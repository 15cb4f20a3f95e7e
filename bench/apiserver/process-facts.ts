import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Resident memory of processes in bytes. */
function residentBytes(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) =>
      sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    0,
  );
}

const TICK_MS = 10;

/** Processor time that processes used so far, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    // The second field is the name in parentheses and may hold spaces; user and system time are 12 and 13 fields behind
    // it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

const POLL_INTERVAL = 500;
const STILL_FOR = 4;
const MAX_POLLS = 40;

/** Memory after the servers came to rest: when it has not moved by 1 % for two seconds, at most after twenty. */
export async function settledBytes(pids: readonly number[]): Promise<number> {
  let last = residentBytes(pids);
  for (let look = 0, still = 0; look < MAX_POLLS && still < STILL_FOR; look++) {
    await delay(POLL_INTERVAL);
    const now = residentBytes(pids);
    still = Math.abs(now - last) < last / 100 ? still + 1 : 0;
    last = now;
  }
  return last;
}
