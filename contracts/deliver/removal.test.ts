import { afterAll, beforeAll, describe, it } from 'vitest';
import { readCases } from './removal/cases.js';
import { RemovalLab } from './removal/lab.js';
import { chosenServers } from './removal/servers.js';

// What leaves git leaves the cluster, whoever put it there. `npm test` plays all of it on the embedded server and the
// smoke size on a real one; ARGOSY_CONTRACT chooses servers and then plays all of it.
const isWhole = process.env['ARGOSY_CONTRACT'] !== undefined;
const START = 180_000;
const ONE = 120_000;

describe.each(chosenServers('both').map((kind) => [kind.name, kind] as const))('%s', async (name, kind) => {
  const absent = await kind.missing();
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  const cases = readCases().filter(({ removal }) => isWhole || name === 'embedded' || removal.smoke === true);
  let scene: RemovalLab | undefined;
  beforeAll(async () => {
    const cluster = await kind.open();
    scene = await RemovalLab.open(cluster, cases).catch(async (error: unknown) => {
      await cluster.stop();
      throw error;
    });
  }, START);
  afterAll(() => scene?.close(), START);

  for (const one of cases) it.concurrent(one.name, () => scene?.play(one), ONE);
});
