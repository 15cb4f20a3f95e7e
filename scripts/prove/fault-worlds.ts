import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultPlatform, INJECTORS, findViolations } from '../../world/faults/index.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * Every fault that can be put into the platform shows what its label says, in the applications that the label names and
 * in no others; between them, worlds without a fault show nothing.
 */
export const proof: Proof = {
  name: 'fault-worlds',
  sizes: { smoke: 2, full: Math.ceil(INJECTORS.length * 1.1) },
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-fault-worlds-'));
    try {
      const stage = await FaultPlatform.open(folder);
      return await runTrials(context, async (index) => {
        const injector = index % 11 === 0 ? undefined : INJECTORS[index - 1 - Math.floor(index / 11)];
        const begin = performance.now();
        const world = await stage.runCase({
          seed: context.seed * 1009 + index,
          faults: injector === undefined ? [] : [injector],
          decoys: [],
        });
        const wrong = findViolations(world).map((line) => `${injector?.name ?? 'without a fault'}: ${line}`);
        return {
          wrong,
          counts: {
            [injector === undefined ? 'without a fault' : 'faults']: 1,
            'applications that suffer': world.label.members.applications.length,
          },
          samples: { 'world ms': Math.round(performance.now() - begin) },
        };
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
