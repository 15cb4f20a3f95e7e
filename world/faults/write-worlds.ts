import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from '../../src/model/faults/index.js';
import { fitTogether, planCases, type PlannedCase } from './cases.js';
import { DECOYS } from './decoys.js';
import { FaultPlatform } from './fault-platform.js';
import { renamed, writeFaultWorld } from './fault-world.js';
import type { Injector } from './injection/injector.js';
import { INJECTORS } from './injectors/index.js';

export const FAULT_HELP = `
  --fault NAMES  writes DIR as a snapshot of a small fleet with these faults, comma between them; decoys may be
                 among them, none is a platform on which all is well, list prints the names
  --cases N      writes N cases of a plan by the seed, each in a folder of DIR: singles, pairs, triples, controls
  --stage DIR    keeps the platform that is broken, so that the next call need not make it
  --own-names    names stay as the fleet has them; otherwise the seed gives others
`;

export interface FaultFlags {
  readonly fault?: string | undefined;
  readonly cases?: string | undefined;
  readonly stage?: string | undefined;
  readonly 'own-names'?: boolean | undefined;
  readonly seed: number;
  readonly out: string;
}

/** What `npm run world -- --fault` does. */
export async function writeFaultWorlds(flags: FaultFlags, tell: (line: string) => void): Promise<void> {
  if (flags.fault === 'list') {
    for (const { name, because } of [...INJECTORS, ...DECOYS]) tell(`${name}: ${because}`);
    return;
  }
  if (!existsSync(resolve(import.meta.dirname, '../../dist/render-worker.js')))
    throw new Fault('TOOL_FAILED', 'the program that renders is not built: npm run build', {
      where: 'dist/render-worker.js',
    });
  const cases = flags.cases === undefined ? [oneCase(flags)] : planCases(wholeNumber(flags.cases), flags.seed);
  const folder = flags.stage === undefined ? mkdtempSync(join(tmpdir(), 'argosy-faults-')) : resolve(flags.stage);
  try {
    const begin = performance.now();
    const stage = await FaultPlatform.open(folder);
    tell(`the platform is well, after ${seconds(begin)}`);
    for (const planned of cases) {
      const started = performance.now();
      const world = await stage.runCase(planned);
      const out = flags.cases === undefined ? flags.out : join(flags.out, planned.name);
      writeFaultWorld(out, flags['own-names'] === true ? world : renamed(world));
      tell(
        `${planned.name}: ${world.label.members.applications.length} applications are not well, ` +
          `${world.objects.length} objects, ${seconds(started)}: ${out}`,
      );
    }
  } finally {
    if (flags.stage === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new Fault('VALUE_INVALID', 'must be a whole number from 1 to 999999', { where: '--cases' });
  return Number(text);
}

function oneCase({ fault = 'none', seed }: FaultFlags): PlannedCase {
  const names = fault === 'none' ? [] : fault.split(',');
  const faults = names.flatMap((name) => INJECTORS.filter((injector) => injector.name === name));
  const decoys = names.flatMap((name) => DECOYS.filter((injector) => injector.name === name));
  const unknown = names.find((name) => ![...faults, ...decoys].some((injector: Injector) => injector.name === name));
  if (unknown !== undefined)
    throw new Fault('VALUE_INVALID', `${unknown} is not known; --fault list prints the names`, { where: '--fault' });
  if (!fitTogether(seed, [...faults, ...decoys]))
    throw new Fault('VALUE_INVALID', 'these faults need the same place, or one of them leaves none; try fewer', {
      where: '--fault',
    });
  return { name: fault, kind: 'single', seed, faults, decoys };
}
