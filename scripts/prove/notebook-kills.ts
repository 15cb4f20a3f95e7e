import { NotebookKillLab } from '../../contracts/faults/notebook-kill.js';
import { runTrials, type Proof, type Trial } from './proof.js';

/**
 * The controller is killed with SIGKILL at every write of a notebook's life: before it is sent, after the server did it and before
 * the answer, after the answer. A notebook runs once per attempt, triggers fire once per run (both counted in the API server's audit
 * log and on the targets), and phases never go back.
 */
export const proof: Proof = {
  name: 'notebook-kills',
  sizes: { smoke: 3, full: 180 },
  async run(context) {
    const lab = await NotebookKillLab.open();
    try {
      return await runTrials(context, (index) => killOnce(lab, index, context.seed * 100_003 + index, context.log));
    } finally {
      await lab.close();
    }
  },
};

async function killOnce(lab: NotebookKillLab, index: number, seed: number, log: (line: string) => void): Promise<Trial> {
  const plan = await lab.plan(index, seed);
  try {
    const { wrong, boundaries, ms } = await lab.play(plan);
    log(`a notebook that ${plan.story}: ${boundaries.join('; ') || 'ended before the kill'} (${Math.round(ms)} ms)`);
    return { wrong, counts: { kills: boundaries.length }, samples: { 'trial ms': ms } };
  } catch (error) {
    const points = plan.kills.map(({ call, moment }) => `write ${call}, ${moment}`).join('; ');
    return { wrong: [`${plan.story} [${points}]: ${error instanceof Error ? error.message : String(error)}`], counts: {} };
  }
}
