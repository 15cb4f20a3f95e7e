import { setTimeout as delay } from 'node:timers/promises';
import { ApiLab } from '../../contracts/api/api-lab.js';
import { PoisonLab } from '../../contracts/api/poison.js';
import { runTrials, type Proof } from './trials/proof.js';

const OBJECTS = 80;
const DELIVERIES = 20;
/** A trial that keeps the thread busy for longer is played again: other programs run on this machine, too. */
const MAX_BUSY = 1000;
const WARM = 20;
const MAX_GROWTH = 1.2;

/**
 * Objects of the kinds that tenants write, and deliveries of webhooks, in which fields of their schemas are of another
 * type, huge, deep or hostile, against a running `argosy up`, 100 a trial: no process ends, no answer is a failure of
 * the server, no thread is busy for a second, and memory returns.
 */
export const proof: Proof = {
  name: 'poison',
  sizes: { smoke: 3, full: 2000 },
  async run(context) {
    const lab = await ApiLab.open();
    const poison = await PoisonLab.open(lab);
    let start = 0;
    try {
      let played = 0;
      const result = await runTrials(context, async (index) => {
        const seed = context.seed * 1_000_003 + index;
        if (played++ === WARM) start = poison.memory();
        await poison.longestBusy();
        const { wrong, counts } = await poison.trial(seed, OBJECTS, DELIVERIES);
        let busy = await poison.longestBusy();
        for (let again = 0; busy > MAX_BUSY && again < 2; again++) {
          await poison.trial(seed, OBJECTS, DELIVERIES);
          busy = Math.min(busy, await poison.longestBusy());
        }
        return {
          wrong: [...wrong, ...(busy > MAX_BUSY ? [`a thread was busy for ${Math.round(busy)} ms`] : [])],
          counts,
          samples: { 'longest busy ms': busy },
        };
      });
      if (start === 0) return result;
      const end = await settledMemory(poison, start * MAX_GROWTH);
      const hasRoom = end <= start * MAX_GROWTH;
      if (!hasRoom) context.log(`memory grew from ${Math.round(start)} to ${Math.round(end)} MB`);
      const figures = { 'memory before MB': Math.round(start), 'memory after MB': Math.round(end) };
      return { ...result, ok: result.ok && hasRoom, figures: { ...result.figures, ...figures } };
    } finally {
      await poison.close();
      await lab.close();
    }
  },
};

/** The least in a minute without load: what is freed is given back when there is time. */
async function settledMemory(poison: PoisonLab, enough: number): Promise<number> {
  let least = poison.memory();
  for (let second = 0; least > enough && second < 60; second++) {
    await delay(1000);
    least = Math.min(least, poison.memory());
  }
  return least;
}
