import { REJECTED_OBJECTS, REJECTIONS, RejectLab } from '../../contracts/faults/reject-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * The server refuses the k-th object of a sync: the status names it, later waves do not come, and the next sync
 * delivers once it is allowed.
 */
export const proof: Proof = {
  name: 'deliver-rejections',
  sizes: { smoke: 1, full: REJECTED_OBJECTS * REJECTIONS.length * 5 },
  async run(context) {
    const lab = await RejectLab.open();
    try {
      return await runTrials(context, async (index) => {
        const rejection = REJECTIONS[index % REJECTIONS.length] ?? 'an admission policy';
        const { wrong, othersApplied } = await lab.play(
          Math.floor(index / REJECTIONS.length),
          rejection,
          context.seed * 100_003 + index,
        );
        return { wrong, counts: { 'others applied': othersApplied } };
      });
    } finally {
      await lab.close();
    }
  },
};
