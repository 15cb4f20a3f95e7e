import { ApiLab } from '../../contracts/api/api-lab.js';
import { sendDeliveries } from '../../contracts/api/webhook-mutations.js';
import { runTrials, type Proof } from './trials/proof.js';

const A_TRIAL = 50;

/**
 * Deliveries of every forge by chance, 50 a trial, in which fields are missing, of another type, nested, renamed or cut
 * off. Every answer is a success or a refusal with a sentence; none is a failure of the server, none shows a stack, and
 * the process goes on. Counted are the answers by class.
 */
export const proof: Proof = {
  name: 'webhook-mutations',
  sizes: { smoke: 10, full: 2000 },
  async run(context) {
    const lab = await ApiLab.open();
    try {
      return await runTrials(context, async (index) => {
        const { wrong, statuses } = await sendDeliveries(lab, context.seed * 1_000_003 + index, A_TRIAL);
        return { wrong: wrong.map(({ request, why }) => `${request}: ${why}`), counts: statuses };
      });
    } finally {
      await lab.close();
    }
  },
};
