import { FaultLab } from '../../contracts/cluster/fault-trial.js';
import { WATCH_FAULTS } from '../../contracts/cluster/watch-faults.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * A cache of the real kube-apiserver meets each of twelve faults, again and again, while objects are created, changed
 * and deleted behind its back: afterwards it equals a live list, with at most one list read for it and at most one
 * request a second and kind while the server was down.
 */
export const proof: Proof = {
  name: 'watch-faults',
  sizes: { smoke: WATCH_FAULTS.length, full: WATCH_FAULTS.length * 20 },
  async run(context) {
    const lab = await FaultLab.open();
    try {
      return await runTrials(context, (index) => breakOnce(lab, context.seed * 100_003 + index, index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function breakOnce(lab: FaultLab, seed: number, index: number, log: (line: string) => void): Promise<Trial> {
  const fault = WATCH_FAULTS[index % WATCH_FAULTS.length];
  if (fault === undefined) throw new Error('there are no faults');
  try {
    const { wrong, convergedMs, lists, ghosts, gapMs } = await lab.play(fault, seed);
    log(
      `${fault.name}: equal after ${Math.round(convergedMs)} ms, ${lists} ` +
        `lists${gapMs === undefined ? '' : `, requests at least ${Math.round(gapMs)} ms apart`}`,
    );
    return {
      wrong: wrong.map((line) => `${fault.name}: ${line}`),
      counts: { 'equal to a live list': 1, lists, ghosts },
      samples: { 'converged ms': convergedMs, ...(gapMs === undefined ? {} : { 'request gap ms': gapMs }) },
    };
  } catch (error) {
    return {
      wrong: [`${fault.name}: ${error instanceof Error ? error.message : String(error)}`],
      counts: { 'equal to a live list': 0 },
    };
  }
}
