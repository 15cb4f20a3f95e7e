import { LeaderLab } from '../../contracts/faults/leader-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * Two controllers; in the middle of a sync the leader stands still for longer than its lease and then goes on, or its
 * clock jumps by an hour or a day or runs at double speed: every hook is made once, and nothing that an old leader
 * still writes is accepted.
 */
export const proof: Proof = {
  name: 'deliver-leaders',
  sizes: { smoke: 1, full: 60 },
  async run(context) {
    const lab = await LeaderLab.open();
    try {
      return await runTrials(context, async (index) => {
        const planned = lab.disturbances[index % lab.disturbances.length] ?? '';
        const { wrong, late, disturbance } = await lab.play(context.seed * 100_003 + index, planned);
        context.log(disturbance);
        return {
          wrong,
          counts: { 'late writes accepted': late, ...(disturbance === '' ? {} : { [`leader ${planned}`]: 1 }) },
        };
      });
    } finally {
      await lab.close();
    }
  },
};
