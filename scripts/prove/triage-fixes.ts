import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultPlatform, INJECTORS, isHeldOut } from '../../world/faults/index.js';
import { draw } from '../../world/fleet/index.js';
import { runTrials, type Proof, type ProofResult } from './trials/proof.js';
import { applyFirstFix, type FixResult } from './triage-fixes/apply-first-fix.js';

const ENOUGH = 0.98;

/**
 * The fix of the first cause of every fault, done in the world that has it, ends the finding: as the trial in memory
 * said, and in truth. What a program cannot do, and what is done outside, is counted apart. Of faults that are held out
 * only numbers are told.
 */
export const proof: Proof = {
  name: 'triage-fixes',
  sizes: { smoke: 3, full: INJECTORS.length },
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-triage-fixes-'));
    try {
      const stage = await FaultPlatform.open(folder);
      // In an order by the seed, so that a smaller size is a sample.
      const injectors = INJECTORS.map((injector) => ({ injector, place: draw(context.seed, injector.name) }))
        .sort((a, b) => a.place - b.place)
        .map(({ injector }) => injector);
      const result = await runTrials(context, async (index) => {
        const injector = injectors[index % injectors.length];
        const begin = performance.now();
        const mended = await stage.withWorld(
          { seed: context.seed * 1013 + index, faults: injector === undefined ? [] : [injector], decoys: [] },
          applyFirstFix,
        );
        const name = injector?.name ?? '';
        if (!isHeldOut(name) && (mended.outcome !== 'applied' || !mended.isGone))
          context.log(
            `${name}: ${mended.outcome}${mended.outcome === 'applied' ? ', and it stays' : ''}: ` +
              `${mended.cause?.rule ?? ''} ${mended.cause?.title ?? 'no cause'}`,
          );
        return {
          wrong: [],
          counts: countsOf(mended, isHeldOut(name)),
          samples: { 'world ms': Math.round(performance.now() - begin) },
        };
      });
      return withShare(result, context.size);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function countsOf({ outcome, isGone, fresh }: FixResult, heldOut: boolean): Record<string, number> {
  const told = {
    applied: 'applied',
    outside: 'excluded: done outside',
    words: 'excluded: words only',
    withheld: 'excluded: the trial said no',
    none: 'excluded: no sure cause',
  }[outcome];
  const counts: Record<string, number> = {
    [told]: 1,
    ...(outcome !== 'applied'
      ? {}
      : {
          ...(isGone ? { 'trial and truth agree': 1 } : { 'it stays': 1 }),
          ...(fresh.length > 0 ? { 'something new is seen': 1 } : {}),
        }),
  };
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [heldOut ? `held out ${name}` : name, count]),
  );
}

/** A part of the trials says nothing yet. */
function withShare(result: ProofResult, size: number): ProofResult {
  const sum = (name: string): number => (result.figures[name] ?? 0) + (result.figures[`held out ${name}`] ?? 0);
  const share = sum('applied') === 0 ? 0 : sum('trial and truth agree') / sum('applied');
  return {
    ...result,
    ok: result.ok && (result.done < size || share >= ENOUGH),
    figures: { ...result.figures, 'share that agrees': Math.round(share * 1000) / 1000 },
  };
}
