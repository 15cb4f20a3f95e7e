import { RestartLab } from '../../contracts/faults/restart-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

const APPLICATIONS = 50;

/**
 * kube-apiserver restarts while 50 applications sync: no operation ends badly for it, no status is false, and all are
 * well again within a minute.
 */
export const proof: Proof = {
  name: 'deliver-restarts',
  sizes: { smoke: 1, full: 30 },
  async run(context) {
    const lab = await RestartLab.open(context.size === this.sizes.smoke ? 5 : APPLICATIONS);
    try {
      return await runTrials(context, async (index) => {
        const { wrong, ms, statuses } = await lab.play(context.seed * 100_003 + index);
        context.log(`all well ${Math.round(ms)} ms after the restart, ${statuses} statuses checked`);
        return { wrong, counts: { 'statuses checked': statuses }, samples: { 'recovery ms': ms } };
      });
    } finally {
      await lab.close();
    }
  },
};
