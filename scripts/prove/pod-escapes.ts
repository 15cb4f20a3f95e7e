import { EscapeLab, type Attempts } from '../../contracts/runtime/escape-lab.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/** Of each trial: 20 of them make 2,000 of the first and 100 of the second. */
const [PATHS, PODS] = [100, 5];

/**
 * An ordinary author of pods tries to get out: every trial tries each way once, races for the place of a mount by the
 * code that resolves it and by whole pods, and lets memory, places in memory and processes grow without end. Nothing of
 * the machine is read, written or connected to, and the server goes on.
 */
export const proof: Proof = {
  name: 'pod-escapes',
  sizes: { smoke: 1, full: 20 },
  async run(context) {
    const lab = await EscapeLab.open();
    try {
      return await runTrials(context, async () => {
        const ways = await lab.everything();
        const [paths, pods] = [await lab.raceOnPaths(PATHS), await lab.raceOfPods(PODS)];
        return trialOf(ways, paths, pods);
      });
    } finally {
      await lab.close();
    }
  },
};

function trialOf(ways: Attempts, paths: Attempts, pods: Attempts): Trial {
  const wrong = [...ways.escaped, ...paths.escaped, ...pods.escaped];
  return {
    wrong,
    counts: {
      attempts: ways.tried,
      'races on paths': paths.tried,
      'races of pods': pods.tried,
      escapes: wrong.length,
    },
  };
}
