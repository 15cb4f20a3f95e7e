import { ApiLab } from '../../contracts/api/api-lab.js';
import { readRoutes, sendMutations } from '../../contracts/api/mutations.js';
import { WEB, webApplication } from '../../contracts/api/web-manifests.js';
import { runTrials, type Proof } from './trials/proof.js';

const A_TRIAL = 50;

/**
 * Requests by chance to every route of the API, 50 a trial: broken JSON, wrong types, odd names, long texts, methods
 * that are not there. Every answer is a success or a refusal with a sentence; none is a failure of the server, none
 * shows a stack, none hangs, and the process goes on. Counted are the answers by class.
 */
export const proof: Proof = {
  name: 'api-mutations',
  sizes: { smoke: 10, full: 2000 },
  async run(context) {
    const lab = await ApiLab.open();
    try {
      lab.commit({ 'web/all.yaml': WEB });
      await lab.request('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository) });
      const routes = await readRoutes(lab);
      return await runTrials(context, async (index) => {
        const { wrong, statuses } = await sendMutations(lab, routes, context.seed * 1_000_003 + index, A_TRIAL);
        return { wrong: wrong.map(({ request, why }) => `${request}: ${why}`), counts: statuses };
      });
    } finally {
      await lab.close();
    }
  },
};
