import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { argoCdModule } from '../argocd/module.js';
import { isWanted, readOptions, readSamples, reasonToSkip, type Case } from './case.js';
import { chosenClusters } from './clusters.js';
import { Delivery } from './delivery.js';

// Argo CD's own samples, with what its end-to-end tests assert, and our own cases of hooks, options and annotations.
// `npm test` plays the smoke size on the embedded cluster; ARGOSY_CONTRACT chooses clusters and then plays all of it.
const module = argoCdModule();
const isWhole = process.env['ARGOSY_CONTRACT'] !== undefined || process.env['ARGOSY_CASE'] !== undefined;
const START = 180_000;
const ONE = 240_000;

describe.each(chosenClusters('embedded').map((kind) => [kind.name, kind] as const))('%s', async (name, kind) => {
  const absent = await kind.missing();
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let delivery: Delivery | undefined;
  beforeAll(async () => {
    delivery = await Delivery.open(kind.open);
  }, START);
  afterAll(() => delivery?.close(), START);

  const play = (one: Case): void => {
    const reason = reasonToSkip(one, name);
    if (!isWanted(one)) return;
    if (reason !== undefined)
      it.skip(`${one.name}: ${reason}`, () => {
        /* the name says why */
      });
    else if (isWhole || one.smoke) it.concurrent(one.name, () => delivery?.play(one), ONE);
  };
  if (module === undefined)
    it.skip('skipped: samples (no Go toolchain or no module proxy)', () => {
      /* the name says why */
    });
  else readSamples(join(module, 'test/e2e/testdata')).forEach(play);
  readOptions().forEach(play);
});
