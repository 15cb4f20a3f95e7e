import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultPlatform, INJECTORS, isHeldOut } from '../../world/faults/index.js';
import { draw } from '../../world/fleet/index.js';
import { carryOutRemedies, type RemedyResult } from './remedies/carry-out.js';
import { CommandLine } from './remedies/command-line.js';
import { INVENTORY, storyWorlds, type RemedyCase } from './remedies/document-worlds.js';
import { faultRemedyWorld } from './remedies/fault-remedy-world.js';
import { runTrials, type Proof, type ProofResult } from './trials/proof.js';

const ENOUGH = 0.98;

/** The remedies of one world, and what is told of it. */
interface WorldTrial {
  readonly name: string;
  readonly isHeldOut: boolean;
  readonly kind: 'fault worlds' | 'stories' | 'documents';
  run(index: number): Promise<RemedyResult[]>;
}

const FAULT_REMEDIES = 3;

/**
 * Every remedy that is printed for a fault world, a story or a world of the documents is carried out by a machine, word
 * for word: patches are committed, commands run in a shell, edits done by `triage --apply --yes`. It ends its finding,
 * makes no other application worse, and does not bring back what a commit removed. What only a person can do is counted
 * apart, and of faults that are held out only numbers are told.
 */
export const proof: Proof = {
  name: 'remedies',
  sizes: { smoke: 3, full: INJECTORS.length + storyWorlds().length + 1 },
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-remedies-'));
    const shell = await CommandLine.open();
    const worlds = inTurns([
      faultTrials(folder, shell, context.seed),
      storyWorlds().map((world) => toldTrial(world, 'stories', shell)),
      [toldTrial(INVENTORY, 'documents', shell)],
    ]);
    try {
      const result = await runTrials(context, async (index) => {
        const world = worlds[index % worlds.length];
        if (world === undefined) throw new Error('there are no worlds');
        const results = await world.run(index);
        if (!world.isHeldOut) for (const each of results) tell(context.log, world.name, each);
        return { wrong: [], counts: { [world.kind]: 1, ...countsOf(results, world.isHeldOut) } };
      });
      return withShare(result, context.size);
    } finally {
      shell.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function faultTrials(folder: string, shell: CommandLine, seed: number): WorldTrial[] {
  let platform: Promise<FaultPlatform> | undefined;
  return INJECTORS.map((injector) => ({ injector, place: draw(seed, injector.name) }))
    .sort((a, b) => a.place - b.place)
    .map(({ injector }) => ({
      name: injector.name,
      isHeldOut: isHeldOut(injector.name),
      kind: 'fault worlds',
      run: async (index) => {
        platform ??= FaultPlatform.open(folder);
        return (await platform).withWorld(
          { seed: seed * 1013 + index, faults: [injector], decoys: [] },
          (world, going) => carryOutRemedies(world, faultRemedyWorld(world, going), shell, FAULT_REMEDIES),
        );
      },
    }));
}

function toldTrial({ name, carryOut }: RemedyCase, kind: WorldTrial['kind'], shell: CommandLine): WorldTrial {
  return { name, kind, isHeldOut: false, run: () => carryOut(shell) };
}

/** One of each sort after the other, so that a few are of many sorts. */
function inTurns(sorts: readonly (readonly WorldTrial[])[]): WorldTrial[] {
  const longest = Math.max(...sorts.map((sort) => sort.length));
  return Array.from({ length: longest }, (_, index) => sorts.flatMap((sort) => sort.slice(index, index + 1))).flat();
}

function tell(log: (line: string) => void, name: string, { cause, outcome, isGone, done, worse }: RemedyResult): void {
  if (outcome === 'done' && isGone && worse.length === 0) return;
  log(`${name}: ${outcome === 'done' ? 'it stays' : outcome}: ${cause.rule} ${cause.title}`);
  if (worse.length > 0) log(`  worse: ${worse.join(', ')}`);
  for (const line of outcome === 'done' ? done : [cause.fix?.say ?? '', ...(cause.fix?.commands ?? [])])
    log(`  ${line.replaceAll('\n', '\n  ')}`);
}

function countsOf(results: readonly RemedyResult[], heldOut: boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (name: string, by = 1): void => {
    if (by === 0) return;
    const told = heldOut ? `held out ${name}` : name;
    counts[told] = (counts[told] ?? 0) + by;
  };
  for (const { outcome, isGone, worse, broughtBack } of results) {
    add(
      {
        done: 'carried out',
        outside: 'excluded: done outside',
        person: 'excluded: only a person can',
        withheld: 'excluded: said not to help',
      }[outcome],
    );
    if (outcome === 'done') add(isGone ? 'finding ended' : 'finding stays');
    add('other applications worse', worse.length);
    add('brought back', broughtBack.length);
  }
  return counts;
}

function withShare(result: ProofResult, size: number): ProofResult {
  const sum = (name: string): number => (result.figures[name] ?? 0) + (result.figures[`held out ${name}`] ?? 0);
  const share = sum('carried out') === 0 ? 0 : sum('finding ended') / sum('carried out');
  const harm = sum('other applications worse') + sum('brought back');
  return {
    ...result,
    ok: result.ok && harm === 0 && (result.done < size || share >= ENOUGH),
    figures: { ...result.figures, 'share that ends its finding': Math.round(share * 1000) / 1000 },
  };
}
