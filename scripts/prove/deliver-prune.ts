import { PRUNE_CAUSES } from '../../contracts/faults/prune-causes.js';
import { PruneLab } from '../../contracts/faults/prune-trial.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Applications that prune and heal by themselves meet reasons why what git says, what the cluster has or what is
 * allowed cannot be known: no object is pruned (counted in the API server's audit log), the objects are the same ones
 * afterwards, and what git really drops is pruned once all is well again.
 */
export const proof: Proof = {
  name: 'deliver-prune',
  sizes: { smoke: 2, full: PRUNE_CAUSES.length * 10 },
  async run(context) {
    const lab = await PruneLab.open();
    try {
      return await runTrials(context, (index) => breakOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function breakOnce(lab: PruneLab, index: number, seed: number, log: (line: string) => void): Promise<Trial> {
  // A stride without a common factor, so that a short run sees all sorts.
  const cause = PRUNE_CAUSES[(index * 5) % PRUNE_CAUSES.length];
  if (cause === undefined) throw new Error('there are no causes');
  try {
    const { wrong, pruned, says } = await lab.play(cause, seed);
    log(`${cause.name}: ${says}`);
    return { wrong, counts: { 'pruned wrongly': pruned } };
  } catch (error) {
    return { wrong: [`${cause.name}: ${error instanceof Error ? error.message : String(error)}`], counts: {} };
  }
}
