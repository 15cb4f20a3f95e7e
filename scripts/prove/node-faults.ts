import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHeldOut } from '../../bench/incidents/labels.js';
import { incidentOf, keepRecordings } from '../../bench/incidents/node-faults.js';
import { judge, type Verdict } from '../../bench/incidents/verdict.js';
import { batchesOf } from '../../contracts/node/faults/batches.js';
import { MOMENTS, readFaults, type NodeFault } from '../../contracts/node/faults/fault.js';
import { openLab, type Lab } from '../../contracts/node/faults/lab.js';
import { collectFiles, loadCatalogue, openTriage } from '../../src/control/index.js';
import { runTrials, type Proof } from './trials/proof.js';

const BATCHES = batchesOf(readFaults());
const WANTED = 0.95;
const triageOf = openTriage(loadCatalogue(join(import.meta.dirname, '../../catalogue')), () => 0);

/**
 * Faults that really happen in containers of a real node: the first cause of triage at the last of three moments names
 * component and fault in at least 95 of 100. The recordings are kept for `npm run bench:node-faults`.
 */
export const proof: Proof = {
  name: 'node-faults',
  sizes: { smoke: 1, full: BATCHES.length },
  async run(context) {
    let lab: Lab | undefined;
    const folder = mkdtempSync(join(tmpdir(), 'argosy-node-faults-'));
    try {
      const result = await runTrials(context, async (index) => {
        lab ??= await openLab();
        const faults = BATCHES[index] ?? [];
        const recordings = await lab.record(faults, folder);
        const verdicts: Verdict[] = [];
        for (const { fault, moment, dump } of recordings)
          verdicts.push(judge(incidentOf(fault, moment, dump), triageOf(await collectFiles([dump], { now: 0 }))));
        await keepRecordings(recordings);
        for (const line of missesOf(verdicts)) context.log(line);
        return { wrong: [], counts: countsOf(faults, verdicts) };
      });
      const { faults = 0, named = 0 } = result.figures;
      return { ...result, ok: result.done < context.size || named >= WANTED * faults };
    } finally {
      await lab?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const LAST = MOMENTS.length - 1;

function isLast({ incident }: Verdict): boolean {
  return incident.name.endsWith(`_${LAST}`);
}

function countsOf(faults: readonly NodeFault[], verdicts: readonly Verdict[]): Record<string, number> {
  const count = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;
  const held = faults.filter(({ fault }) => isHeldOut(fault)).length;
  return {
    faults: faults.length,
    named: count((verdict) => isLast(verdict) && verdict.isFirst),
    found: count((verdict) => isLast(verdict) && verdict.isFound),
    'held out': held,
    'held out named': count((verdict) => isLast(verdict) && verdict.isFirst && isHeldOut(verdict.incident.fault)),
    ...Object.fromEntries(
      MOMENTS.map((_, moment) => [
        `named at moment ${moment + 1}`,
        count(({ isFirst, incident }) => isFirst && incident.name.endsWith(`_${moment}`)),
      ]),
    ),
    'false P0': count(({ isFalseP0 }) => isFalseP0),
    'exit 0': count((verdict) => isLast(verdict) && verdict.isSilent),
  };
}

/** What is held out is told to nobody who writes rules. */
function missesOf(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter((verdict) => isLast(verdict) && !verdict.isFirst && !isHeldOut(verdict.incident.fault))
    .map(({ incident, first, isFound }) => {
      const said = first === undefined ? 'nothing' : `${first.severity} ${first.rule} ${first.title}`;
      return `${incident.category}/${incident.fault}: ${said}${isFound ? ' (named further down)' : ''}`;
    });
}
