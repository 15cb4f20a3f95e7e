import { afterAll, beforeAll, describe, it } from 'vitest';
import { IS_WHOLE, oneOfEach } from '../harness/sizes.js';
import { readCases } from './removal/cases.js';
import { RemovalLab } from './removal/lab.js';
import { chosenServers } from './removal/servers.js';

// What leaves git leaves the cluster, whoever put it there. `npm test` plays each removal and each applier once, on the
// embedded server, and the smoke size on a real one; ARGOSY_CONTRACT chooses servers and then plays all of it.
const isWhole = IS_WHOLE || process.env['ARGOSY_CONTRACT'] !== undefined;
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
  const all = readCases();
  const smoke =
    name === 'embedded'
      ? oneOfEach(all, ({ removal, applier }) => [removal.what, applier.who])
      : all.filter(({ removal }) => removal.smoke === true);
  const cases = isWhole ? all : smoke;
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
