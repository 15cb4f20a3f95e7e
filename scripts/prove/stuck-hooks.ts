import { StuckHookLab, type StuckRound } from '../../contracts/faults/stuck-hook-trial.js';
import { STUCK_REASONS } from '../../contracts/faults/stuck-hook.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * A sync waits for a hook that cannot end, for each of eight reasons, on the embedded cluster. The reason is named; the
 * hook is repaired or removed by a commit, deleted by hand, terminated, or superseded by another revision, and the
 * controller is killed with SIGKILL at API-call boundaries of what follows. Each sync ends within ten seconds of its
 * remedy, no hook and no operation is made twice. The eight reasons of a round are played at the same time.
 */
export const proof: Proof = {
  name: 'stuck-hooks',
  sizes: { smoke: STUCK_REASONS.length, full: 400 },
  async run(context) {
    const lab = await StuckHookLab.open();
    let played: { readonly number: number; readonly round: StuckRound } | undefined;
    try {
      return await runTrials(context, async (index) => {
        const number = Math.floor(index / STUCK_REASONS.length);
        if (played?.number !== number) {
          const round = await lab.play(number, context.seed * 100_003 + number);
          context.log(`round ${number}: ${round.boundaries.join('; ') || 'nobody died'}`);
          played = { number, round };
        }
        const { trials, boundaries } = played.round;
        const nth = index % STUCK_REASONS.length;
        const trial = trials[nth];
        if (trial === undefined) throw new Error('a round has a trial for each reason');
        return {
          wrong: trial.wrong.map((line) => `${line} [killed at ${boundaries.join('; ')}]`),
          counts: { kills: nth === 0 ? boundaries.length : 0, 'hooks doubled': trial.doubled },
          samples: { 'reason ms': trial.reasonMs, 'end ms': trial.endMs },
        };
      });
    } finally {
      await lab.close();
    }
  },
};
