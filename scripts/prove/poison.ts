import { setTimeout as delay } from 'node:timers/promises';
import { ApiLab } from '../../contracts/api/api-lab.js';
import { PoisonLab } from '../../contracts/api/poison.js';
import { ThreadMeter } from '../../contracts/harness/thread-meter.js';
import { missingWalls } from '../../src/apiserver/runtime/process/sandbox.js';
import { runTrials, type Progress, type Proof, type ProofContext, type ProofResult } from './trials/proof.js';

const OBJECTS = 400;
const DELIVERIES = 100;
/** How long the thread of a process may be busy at a time. */
const MAX_BUSY_MS = 1000;
/** Trials after which the processes have loaded and compiled what they use. */
const WARM = 10;
const MAX_GROWTH = 1.2;
const SETTLES_WITHIN_S = 120;

/** How pods run in the parts of the proof: simulated, and as processes of this machine. */
const RUNTIMES: readonly (readonly string[])[] = [[], ['--runtime', 'process', '--process-image', 'nginx:*']];

/**
 * Objects of the kinds that tenants write, and deliveries of webhooks, in which fields of their schemas are of another
 * type, huge, deep or hostile, against a running `argosy up`, 500 a trial. No process ends, no answer is a failure of
 * the server, no thread is busy for a second, memory returns; and every field of every kind was changed. In the second
 * half of the trials pods run as processes, where this machine has the walls.
 */
export const proof: Proof = {
  name: 'poison',
  sizes: { smoke: 4, full: 400 },
  async run(context) {
    const walls = missingWalls();
    if (walls.length > 0) context.log(`pods are simulated only: ${walls.join('; ')}`);
    const runtimes = walls.length > 0 ? RUNTIMES.slice(0, 1) : RUNTIMES;
    let progress = context.resume;
    const save = (state: Progress): void => {
      progress = state;
      context.save?.(state);
    };
    let result: ProofResult = { ok: true, done: 0, figures: {} };
    for (const [index, flags] of runtimes.entries()) {
      const size = Math.ceil((context.size * (index + 1)) / runtimes.length);
      if ((progress?.done ?? 0) >= size && index + 1 < runtimes.length) continue;
      result = await play({ ...context, size, resume: progress, save }, flags);
      if (!result.ok || result.done < size) return result;
    }
    return result;
  },
};

/** Trials against one `argosy up`; of all fields it is asked after the last one of a full run. */
async function play(context: ProofContext, flags: readonly string[]): Promise<ProofResult> {
  const meter = new ThreadMeter();
  const lab = await ApiLab.open(flags, undefined, meter.environment);
  const poison = await PoisonLab.open(lab);
  let start = 0;
  try {
    let played = 0;
    meter.longestBusy();
    const result = await runTrials(context, async (trial) => {
      if (played++ === WARM) start = await leastMemory(poison);
      const part = { seed: context.seed, trial, objects: OBJECTS, deliveries: DELIVERIES };
      const { wrong, counts, covered } = await poison.trial(part);
      const busy = meter.longestBusy();
      const long = busy > MAX_BUSY_MS ? [`a thread was busy for ${busy} ms`] : [];
      const processes = flags.length === 0 ? {} : { 'trials with processes': 1 };
      return {
        wrong: [...wrong, ...long],
        counts: { ...counts, ...processes },
        covered,
        samples: { 'longest busy ms': busy },
      };
    });
    const missed = result.done < proof.sizes.full ? [] : notCovered(result, poison.fields);
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
}

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
