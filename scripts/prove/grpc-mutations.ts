import { ApiLab } from '../../contracts/api/api-lab.js';
import { Chance } from '../../contracts/api/chance.js';
import { sendCalls } from '../../contracts/api/grpc-mutations.js';
import { WEB, webApplication } from '../../contracts/api/web-manifests.js';
import { runTrials, type Proof } from './trials/proof.js';

const A_TRIAL = 200;

/**
 * Calls by chance to every method over gRPC and gRPC-Web, 200 a trial: frames that say wrong lengths and flags, broken
 * and nested messages, compressions that are none or never end, odd headers and trailers, too much, and clients that go
 * away in the middle. Every call ends with a code and a sentence; none shows a stack, none hangs, and the process goes
 * on. Counted are the ends by code.
 */
export const proof: Proof = {
  name: 'grpc-mutations',
  sizes: { smoke: 2, full: 1000 },
  async run(context) {
    const lab = await ApiLab.open();
    try {
      lab.commit({ 'web/all.yaml': WEB });
      await lab.request('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository) });
      return await runTrials(context, async (index) => {
        const { wrong, counts } = await sendCalls(lab, new Chance(context.seed * 1_000_003 + index), A_TRIAL);
        return { wrong: wrong.map(({ call, why }) => `${call}: ${why}`), counts };
      });
    } finally {
      await lab.close();
    }
  },
};
