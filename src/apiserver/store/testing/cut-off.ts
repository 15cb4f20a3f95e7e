import { Fault } from '../../../model/faults/index.js';
import { openStore } from '../open-store.js';
import type { Store } from '../store.js';
import { SIMULATED_DIRECTORY as directory, SimulatedDisk } from './simulated-disk.js';
import type { Workload } from './workload.js';

const SNAPSHOT = 6 << 10;

/** A store on a simulated disk, with snapshots often. */
export const openSimulated = (disk: SimulatedDisk): Promise<Store> =>
  openStore({ directory, disk, snapshotBytes: SNAPSHOT, onFault: () => undefined });

/**
 * Runs a workload until the disk has made `steps` steps, then ends it as `end` says; gives the disk a new process
 * finds.
 */
export async function runUntil(
  disk: SimulatedDisk,
  steps: number,
  workload: Workload,
  end: (disk: SimulatedDisk) => SimulatedDisk,
): Promise<SimulatedDisk> {
  let left = steps;
  let next: SimulatedDisk | undefined;
  disk.onStep = () => {
    if (left-- === 0) next = end(disk);
  };
  try {
    const store = await openSimulated(disk);
    await workload.run(store, 4, 30);
    await store.close();
  } catch (error) {
    if (next === undefined) throw error;
  }
  return next ?? end(disk);
}

/** What is wrong with what a new process finds; that it is rejected is wrong too. */
export async function verifyDisk(disk: SimulatedDisk, workload: Workload): Promise<string[]> {
  let store: Store;
  try {
    store = await openSimulated(disk);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [`${error.code}: ${error.message} (${error.where})`];
  }
  const wrong = workload.verify(store);
  await store.close();
  return wrong;
}
