// Loaded into a process before its program. Notes whenever the main thread was busy for long: the time that it had on a
// CPU between two ticks of a timer, which other programs of the machine do not change.
import { appendFileSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 10;
const LONG_MS = 50;
const folder = process.env.ARGOSY_THREAD_METER;

if (folder !== undefined && isMainThread) {
  const buffer = Buffer.alloc(64);
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const onCpuMs = () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6;
  };
  let before = onCpuMs();
  setInterval(() => {
    const now = onCpuMs();
    if (now - before > LONG_MS) appendFileSync(`${folder}/busy`, `${process.pid} ${Math.round(now - before)}\n`);
    before = now;
  }, EVERY_MS).unref();
}
