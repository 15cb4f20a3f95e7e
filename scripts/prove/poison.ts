import { setTimeout as delay } from 'node:timers/promises';
import { ApiLab } from '../../contracts/api/api-lab.js';
import { PoisonLab } from '../../contracts/api/poison.js';
import { ThreadMeter } from '../../contracts/harness/thread-meter.js';
import { runTrials, type Proof, type ProofResult } from './trials/proof.js';

const OBJECTS = 400;
const DELIVERIES = 100;
/** How long the thread of a process may be busy at a time. */
const MAX_BUSY_MS = 1000;
/** Trials after which the processes have loaded and compiled what they use. */
const WARM = 10;
const MAX_GROWTH = 1.2;
const SETTLES_WITHIN_S = 120;

/**
 * Objects of the kinds that tenants write, and deliveries of webhooks, in which fields of their schemas are of another
 * type, huge, deep or hostile, against a running `argosy up`, 500 a trial. No process ends, no answer is a failure of
 * the server, no thread is busy for a second, memory returns; and every field of every kind was changed.
 */
export const proof: Proof = {
  name: 'poison',
  sizes: { smoke: 3, full: 400 },
  async run(context) {
    const meter = new ThreadMeter();
    const lab = await ApiLab.open([], undefined, meter.environment);
    const poison = await PoisonLab.open(lab);
    let start = 0;
    try {
      let played = 0;
      meter.longestBusy();
      const result = await runTrials(context, async (trial) => {
        if (played++ === WARM) start = await leastMemory(poison);
        const part = { seed: context.seed, trial, objects: OBJECTS, deliveries: DELIVERIES };
        const { wrong, ...found } = await poison.trial(part);
        const busy = meter.longestBusy();
        const long = busy > MAX_BUSY_MS ? [`a thread was busy for ${busy} ms`] : [];
        return { ...found, wrong: [...wrong, ...long], samples: { 'longest busy ms': busy } };
      });
      const missed = result.done < context.size ? [] : notCovered(result, poison.fields);
      for (const line of missed) context.log(line);
      if (start === 0) return { ...result, ok: result.ok && missed.length === 0 };
      const end = await leastMemory(poison, start * MAX_GROWTH);
      const returns = end <= start * MAX_GROWTH;
      if (!returns) context.log(`memory grew from ${Math.round(start)} to ${Math.round(end)} MB`);
      const figures = { 'memory before MB': Math.round(start), 'memory after MB': Math.round(end) };
      const ok = result.ok && missed.length === 0 && returns;
      return { ...result, ok, figures: { ...result.figures, ...figures } };
    } finally {
      await poison.close();
      await lab.close();
      meter.close();
    }
  },
};

/** Kinds of which some field was never changed. */
function notCovered({ figures }: ProofResult, fields: Readonly<Record<string, number>>): string[] {
  return Object.entries(fields)
    .filter(([name, count]) => figures[`covered ${name}`] !== count)
    .map(([name, count]) => `of the ${count} fields of ${name}, ${figures[`covered ${name}`] ?? 0} were changed`);
}

/** The least within two minutes without load: what is freed is given back when there is time. */
async function leastMemory(poison: PoisonLab, enough = 0): Promise<number> {
  let least = poison.memory();
  for (let second = 0; least > enough && second < SETTLES_WITHIN_S; second++) {
    await delay(1000);
    least = Math.min(least, poison.memory());
  }
  return least;
}
