import { workerData } from 'node:worker_threads';

/** How often it is looked whether the process that asks for renders is there. */
const EVERY_MS = 1000;

/** A thread of a render process. A render that never ends hears of nothing, so the thread ends the process with it. */
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
