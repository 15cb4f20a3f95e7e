import { draw } from '../fleet/index.js';
import { makePlatform } from './base-world.js';
import { DECOYS } from './decoys.js';
import type { FaultCase } from './fault-platform.js';
import { INJECTORS } from './injectors/index.js';
import type { Injector } from './injection/injector.js';
import { Scene } from './injection/scene.js';

export type CaseKind = 'single' | 'pair' | 'triple' | 'cycle' | 'control';

/** A case of a plan, with what it is for. */
export interface PlannedCase extends FaultCase {
  readonly name: string;
  readonly kind: CaseKind;
}

const MAX_DECOYS = 3;
const TRIES = 200;

/**
 * Whether these faults have room beside each other: one that takes much away stands alone, and no two have the same
 * place.
 */
export function fitTogether(seed: number, injectors: readonly Injector[]): boolean {
  if (injectors.length > 1 && injectors.some(({ isBroad }) => isBroad === true)) return false;
  const shared = { files: new Map(FILES.value), taken: new Set<string>(), programs: {} };
  try {
    for (const injector of injectors) injector.inject(new Scene(seed, injector.name, shared));
    return true;
  } catch {
    // A scene throws only where a place is taken or a file is gone that the fault needs.
    return false;
  }
}

/** The files of the platform are the same at every place; made once. */
const FILES = {
  get value(): ReadonlyMap<string, string> {
    return (files ??= makePlatform('file:///fleet.git').files);
  },
};
let files: ReadonlyMap<string, string> | undefined;

function someDecoys(seed: number, count: number): Injector[] {
  const chosen: Injector[] = [];
  for (let round = 0; chosen.length < count; round++) {
    const one = DECOYS[Math.floor(draw(seed, 'decoy', String(round)) * DECOYS.length)];
    if (one !== undefined && !chosen.includes(one)) chosen.push(one);
  }
  return chosen;
}

/** As many faults as wanted that fit together, by the seed. */
function together(seed: number, count: number): Injector[] {
  for (let round = 0; round < TRIES; round++) {
    const chosen = Array.from(
      { length: count },
      (_, index) => INJECTORS[Math.floor(draw(seed, 'together', String(round), String(index)) * INJECTORS.length)],
    ).filter((each) => each !== undefined);
    if (new Set(chosen).size === count && fitTogether(seed, chosen)) return chosen;
  }
  throw new Error(`no ${count} faults fit together for the seed ${seed}`);
}

/** Decoys that find a place beside the faults of a case. */
function withDecoys(planned: Omit<PlannedCase, 'decoys'>): PlannedCase {
  const { seed, faults } = planned;
  const wanted = someDecoys(seed, Math.floor(draw(seed, 'decoys') * (MAX_DECOYS + 1)));
  const decoys: Injector[] = [];
  for (const decoy of wanted)
    if (
      faults.some(({ isBroad }) => isBroad === true)
        ? decoy.name.startsWith('warning-')
        : fitTogether(seed, [...faults, ...decoys, decoy])
    )
      decoys.push(decoy);
  return { ...planned, decoys };
}

/**
 * So many cases, by the seed: every fault alone as often as it comes round, a quarter of pairs, a tenth of triples, a
 * thirtieth of cycles, a sixth without any fault.
 * A longer plan begins with a shorter one.
 */
export function planCases(count: number, seed: number): PlannedCase[] {
  let singles = 0;
  return Array.from({ length: count }, (_, index) => {
    const own = Math.floor(draw(seed, 'case', String(index)) * 2 ** 31);
    const lot = (index * 7) % 60;
    const number = String(index).padStart(4, '0');
    if (lot < 10) return withDecoys({ name: `${number}-control`, kind: 'control', seed: own, faults: [] });
    if (lot < 25) return withDecoys({ name: `${number}-pair`, kind: 'pair', seed: own, faults: together(own, 2) });
    if (lot < 31) return withDecoys({ name: `${number}-triple`, kind: 'triple', seed: own, faults: together(own, 3) });
    const cycles = INJECTORS.filter(({ kind }) => kind === 'cycle');
    const single =
      lot < 33 ? cycles[Math.floor(draw(own, 'cycle') * cycles.length)] : INJECTORS[singles++ % INJECTORS.length];
    if (single === undefined) throw new Error('there are no faults');
    return withDecoys({
      name: `${number}-${single.name}`,
      kind: single.kind === 'cycle' ? 'cycle' : 'single',
      seed: own,
      faults: [single],
    });
  });
}
