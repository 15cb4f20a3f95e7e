import { LeaderLab } from '../../contracts/faults/leader-trial.js';
import { runTrials, type Proof } from './proof.js';

/**
 * Two controllers; the leader stands still in the middle of a sync for longer than its lease and then goes on: every hook is made once, and
 * nothing that the old leader still writes is accepted.
 */
export const proof: Proof = {
  name: 'deliver-leaders',
  sizes: { smoke: 1, full: 30 },
  async run(context) {
    const lab = await LeaderLab.open();
    try {
      return await runTrials(context, async (index) => {
        const { wrong, late, paused } = await lab.play(context.seed * 100_003 + index);
        context.log(`stopped at ${paused}`);
        return { wrong, counts: { 'late writes accepted': late, pauses: paused === '' ? 0 : 1 } };
      });
    } finally {
      await lab.close();
    }
  },
};
