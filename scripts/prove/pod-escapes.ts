import { EscapeLab, type Attempts } from '../../contracts/runtime/escape-lab.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/** Of each race in a trial: 100 of them make 2,000 tries. */
const TRIES = 20;
/** All ways are tried in each trial of this number. */
const WAYS_EVERY = 5;

/**
 * An ordinary author of pods tries to get out. Every trial has 20 tries of two races for the place of a mount, one
 * against the code that resolves it and one by the containers of a pod; every fifth tries each other way once and lets
 * memory, places in memory and processes grow without end. Nothing of the machine is read, written or connected to, and
 * the server goes on.
 */
export const proof: Proof = {
  name: 'pod-escapes',
  sizes: { smoke: 1, full: 100 },
  async run(context) {
    const lab = await EscapeLab.open();
    try {
      return await runTrials(context, async (trial) => {
        const ways = trial % WAYS_EVERY === 0 ? await lab.everything() : { tried: 0, escaped: [] };
        const [paths, pods] = [await lab.raceOnPaths(TRIES), await lab.raceOfPods(TRIES)];
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
      'races of pods that mounted': pods.mounted ?? 0,
      escapes: wrong.length,
    },
  };
}
