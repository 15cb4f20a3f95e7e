import { NotebookKillLab } from '../../contracts/faults/notebook-kill.js';
import { pointText } from '../../contracts/faults/killable-controller.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * The controller is killed with SIGKILL at every call of a notebook's life: before it is sent, and where it changes
 * something also after the server did it and before the answer, and after the answer. The lives: it succeeds, fails,
 * runs again, is built, is not built, is tried again after trouble of the cluster, syncs and refreshes an Application,
 * holds a wave of the Application that brings it. A notebook runs once per attempt, is built once, its triggers fire
 * once per run (counted in the API server's audit log and on the targets), phases never go back, marks of waves belong
 * to runs that are over, and the Application ends with the right numbers.
 */
export const proof: Proof = {
  name: 'notebook-kills',
  sizes: { smoke: 2, full: 700 },
  async run(context) {
    const lab = await NotebookKillLab.open();
    try {
      return await runTrials(context, (index) => killOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function killOnce(
  lab: NotebookKillLab,
  index: number,
  seed: number,
  log: (line: string) => void,
): Promise<Trial> {
  const plan = await lab.plan(index, seed);
  try {
    const { wrong, boundaries, ms } = await lab.play(plan);
    log(
      `a notebook that ${plan.life.name}: ${boundaries.join('; ') || 'ended before the kill'} (${Math.round(ms)} ms)`,
    );
    return { wrong, counts: { kills: boundaries.length }, samples: { 'trial ms': ms } };
  } catch (error) {
    const points = plan.kills.map(pointText).join('; ');
    return {
      wrong: [`${plan.life.name} [${points}]: ${error instanceof Error ? error.message : String(error)}`],
      counts: {},
    };
  }
}
