import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../model/faults/index.js';
import { renderSource } from '../../render/index.js';
import type { WorkerResult, WorkerTask } from './render-pool.js';

/** The inside of a render worker: one task after the other, and nothing of the outside but clock and randomness. */
function runTask({ id, request }: WorkerTask): WorkerResult {
  try {
    const host = {
      now: () => BigInt(Date.now()) * 1_000_000n,
      random: (count: number) => randomBytes(count),
      zone: 'UTC',
    };
    return { id, result: renderSource({ ...request, host }) };
  } catch (error) {
    if (error instanceof Fault) return { id, fault: { code: error.code, message: error.message, where: error.where } };
    return { id, defect: error instanceof Error ? error.message : String(error) };
  }
}

const GUARD_MEGABYTES = 8;
new Worker(new URL('render-guard.js', import.meta.url), {
  workerData: process.ppid,
  resourceLimits: { maxOldGenerationSizeMb: GUARD_MEGABYTES },
}).unref();

process.on('message', (task) => process.send?.(runTask(task as WorkerTask)));
// Nobody waits for an answer any more.
process.on('disconnect', () => {
  process.exit();
});
