import type { NodeFault } from './fault.js';

/** As many as the node runs at a time without waiting for each other. */
const TOGETHER = 24;

/** What happens at the same time: most faults know nothing of each other, those of the whole node happen alone. */
export function batchesOf(faults: readonly NodeFault[]): readonly (readonly NodeFault[])[] {
  const shared = faults.filter(({ alone }) => alone !== true);
  const count = Math.ceil(shared.length / TOGETHER);
  const batches = Array.from({ length: count }, (_, batch) =>
    shared.filter((_fault, index) => index % count === batch),
  );
  return [...batches, ...faults.filter(({ alone }) => alone === true).map((fault) => [fault])];
}
