import { readFile } from 'node:fs/promises';

const PAGE = 4096;
const MAX_PROCESSES = 50;

/** The memory that a process and those below it hold for themselves, where the system tells; else 0. */
export async function memoryOf(pid: number): Promise<number> {
  let bytes = 0;
  const waiting = [pid];
  for (let count = 0; count < MAX_PROCESSES; count++) {
    const next = waiting.pop();
    if (next === undefined) break;
    // Total, resident and shared pages first; files that are mapped count as shared.
    const [, resident = 0, shared = 0] = (await readFile(`/proc/${next}/statm`, 'utf8').catch(() => ''))
      .split(' ')
      .map(Number);
    bytes += (resident - shared) * PAGE;
    waiting.push(
      ...(await readFile(`/proc/${next}/task/${next}/children`, 'utf8').catch(() => ''))
        .trim()
        .split(' ')
        .filter((id) => id !== '')
        .map(Number),
    );
  }
  return bytes;
}
