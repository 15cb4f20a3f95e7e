import { pointText } from '../../contracts/faults/killable-controller.js';
import { NotifyKillLab } from '../../contracts/faults/notify-kill.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * An application fails and recovers while its controller is killed with SIGKILL at every call about it: before it is
 * sent, after the server did it and before the answer, after the answer; the application stays as it is meanwhile, or
 * recovers. A receiver that does not look at keys gets one message for each transition, in order. Only a process that
 * dies between sending and the note of the answer on its disk leaves a message that nobody can know of: it comes again
 * with the same key, and is counted.
 */
export const proof: Proof = {
  name: 'notify-kills',
  sizes: { smoke: 1, full: 120 },
  async run(context) {
    const lab = await NotifyKillLab.open();
    try {
      return await runTrials(context, (index) => killOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function killOnce(lab: NotifyKillLab, index: number, seed: number, log: (line: string) => void): Promise<Trial> {
  const plan = await lab.plan(index, seed);
  try {
    const { wrong, boundaries, undecidable, ms } = await lab.play(plan);
    log(`the application ${plan.story}: ${boundaries.join('; ') || 'nobody was killed'} (${Math.round(ms)} ms)`);
    return {
      wrong,
      counts: { kills: boundaries.length, 'killed between sending and note': undecidable },
      samples: { 'trial ms': ms },
    };
  } catch (error) {
    return {
      wrong: [
        `${plan.story} [${plan.kills.map(pointText).join('; ')}]: ` +
          (error instanceof Error ? error.message : String(error)),
      ],
      counts: {},
    };
  }
}
