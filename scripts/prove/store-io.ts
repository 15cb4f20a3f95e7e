import { FAILURES, FailingDisk } from '../../contracts/durability/disk/failing-disk.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * The API server on a disk whose writes, syncs, truncations and renames fail with EIO, ENOSPC or EROFS and work again:
 * what was acknowledged is there, reads are served meanwhile, /readyz says no and yes again, and nothing needs a
 * restart. Every fourth trial ends with `kill -9`.
 */
export const proof: Proof = {
  name: 'store-io',
  sizes: { smoke: FAILURES.length, full: 400 },
  async run(context) {
    const disk = await FailingDisk.open();
    try {
      return await runTrials(context, async (index) => {
        const failure = FAILURES[index % FAILURES.length] ?? ['all', 5];
        const { wrong, acknowledged, refused } = await disk.trial(failure, index % 4 === 3);
        return {
          wrong: wrong.map((line) => `${failure.join(' ')}: ${line}`),
          counts: { 'acknowledged writes': acknowledged, 'refused writes': refused, lost: wrong.length },
        };
      });
    } finally {
      await disk.close();
    }
  },
};
