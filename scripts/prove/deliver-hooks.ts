import { HookKillLab } from '../../contracts/faults/hook-kill.js';
import { pointText } from '../../contracts/faults/killable-controller.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * The controller is killed with SIGKILL at API-call boundaries of syncs with all kinds of hooks: before a request is
 * sent, after the server did it and before the answer, after the answer. Every hook that an uninterrupted sync makes is
 * made exactly once (counted in the API server's audit log), waves keep their order, and the end is that of an
 * uninterrupted sync.
 */
export const proof: Proof = {
  name: 'deliver-hooks',
  sizes: { smoke: 1, full: 320 },
  async run(context) {
    const lab = await HookKillLab.open();
    try {
      return await runTrials(context, (index) => killOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function killOnce(lab: HookKillLab, index: number, seed: number, log: (line: string) => void): Promise<Trial> {
  const plan = await lab.plan(index, seed);
  try {
    const { wrong, kills, lost, duplicated, boundaries, ms } = await lab.play(plan);
    log(`${plan.scenario.name}: ${boundaries.join('; ') || 'ended before the kill'} (${Math.round(ms)} ms)`);
    return {
      wrong,
      counts: { kills, 'hooks lost': lost, 'hooks duplicated': duplicated },
      samples: { 'trial ms': ms },
    };
  } catch (error) {
    const points = plan.kills.map(pointText).join('; ');
    return {
      wrong: [`${plan.scenario.name} [${points}]: ${error instanceof Error ? error.message : String(error)}`],
      counts: {},
    };
  }
}
