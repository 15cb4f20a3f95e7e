import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Accuracy } from '../../bench/triage/accuracy.js';
import { FaultPlatform, planCases, renamed, writeFaultWorld, type PlannedCase } from '../../world/faults/index.js';
import type { Proof, ProofContext } from './trials/proof.js';

const WORLD = join(import.meta.dirname, '../../world');
/**
 * What triage must reach on faults that whoever writes rules may look at, and what it may get wrong when it is sure.
 */
const BARS = { first: 0.97, f1: 0.95, wrongWhenSure: 0.05 } as const;

/**
 * Worlds know nothing of whoever looks for causes, so they are made once for what makes them, and judged by every
 * commit.
 */
function keptWorlds(seed: number): string {
  const hash = createHash('sha256');
  for (const part of ['faults', 'fleet', 'controllers']) {
    for (const file of readdirSync(join(WORLD, part), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .sort())
      hash.update(file.slice(WORLD.length)).update(readFileSync(file));
  }
  return join(
    process.env['ARGOSY_CACHE'] ?? join(homedir(), '.cache/argosy'),
    'fault-worlds',
    `${hash.digest('hex').slice(0, 12)}-${seed}`,
  );
}

/**
 * Makes the worlds that are not there yet; how many are there at the end. Another process may do the same: each begins
 * at a place of its own.
 */
async function makeWorlds(
  cases: readonly PlannedCase[],
  folder: string,
  { log, mayGoOn = () => true }: ProofContext,
): Promise<number> {
  const missing = cases.filter(({ name }) => !existsSync(join(folder, name)));
  if (missing.length === 0) return cases.length;
  const begin = process.pid % missing.length;
  const left = [...missing.slice(begin), ...missing.slice(0, begin)];
  const stage = await FaultPlatform.open(join(folder, `stage-${process.pid}`));
  try {
    for (const planned of left) {
      if (!mayGoOn()) break;
      if (existsSync(join(folder, planned.name))) continue;
      const unfinished = join(folder, `unfinished-${process.pid}`);
      writeFaultWorld(unfinished, renamed(await stage.runCase(planned)));
      // The other process was quicker.
      if (existsSync(join(folder, planned.name))) rmSync(unfinished, { recursive: true });
      else renameSync(unfinished, join(folder, planned.name));
      log(planned.name);
    }
  } finally {
    rmSync(join(folder, `stage-${process.pid}`), { recursive: true, force: true });
  }
  return cases.filter(({ name }) => existsSync(join(folder, name))).length;
}

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * The first cause is the true one, the causes are the faults, no P0 where nothing is wrong, equal bytes in any order,
 * and few sure answers are wrong with less to see.
 */
export const proof: Proof = {
  name: 'triage-accuracy',
  sizes: { smoke: 3, full: 720 },
  async run(context) {
    const cases = planCases(context.size, context.seed);
    const folder = keptWorlds(context.seed);
    mkdirSync(folder, { recursive: true });
    const made = await makeWorlds(cases, folder, context);
    if (made < cases.length) return { ok: true, done: made, figures: { worlds: made } };
    const accuracy = new Accuracy();
    for (const { name } of cases) await accuracy.measure(join(folder, name));
    for (const line of [...accuracy.lines(), ...accuracy.missed()]) context.log(line);
    const { known, heldOut, all, ablated, controls, falseAlarms, unequal } = accuracy;
    const ok =
      known.firstIsTrue >= BARS.first &&
      known.f1 >= BARS.f1 &&
      falseAlarms.length === 0 &&
      unequal === 0 &&
      ablated.every(({ score }) => score.wrongWhenSure <= BARS.wrongWhenSure);
    return {
      ok,
      done: cases.length,
      figures: {
        worlds: cases.length,
        'with faults': all.cases,
        'without a fault': controls,
        'P0 without a fault': falseAlarms.length,
        'A@1': thousandths(known.firstIsTrue),
        F1: thousandths(known.f1),
        'held out': heldOut.cases,
        'held out A@1': thousandths(heldOut.firstIsTrue),
        'held out F1': thousandths(heldOut.f1),
        'held out wrong when sure': thousandths(heldOut.wrongWhenSure),
        'all A@1': thousandths(all.firstIsTrue),
        'all F1': thousandths(all.f1),
        ...Object.fromEntries(
          ablated.flatMap(({ ablation, score }) => [
            [`${ablation.name}: A@1`, thousandths(score.firstIsTrue)],
            [`${ablation.name}: wrong when sure`, thousandths(score.wrongWhenSure)],
          ]),
        ),
        shuffles: accuracy.shuffled,
        'other bytes': unequal,
      },
    };
  },
};
