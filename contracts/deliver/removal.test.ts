import { afterAll, beforeAll, describe, it } from 'vitest';
import type { DeliverCluster } from './clusters.js';
import { startController, type Controller } from './controller.js';
import { readCases, readDefinition } from './removal/cases.js';
import { playRemoval } from './removal/play.js';
import { chosenServers } from './removal/servers.js';

// What leaves git leaves the cluster, whoever put it there. `npm test` plays all of it on the embedded server and the smoke
// size on a real one; ARGOSY_CONTRACT chooses servers and then plays all of it.
const isWhole = process.env['ARGOSY_CONTRACT'] !== undefined;
const CONTROL = 'argocd';
const START = 120_000;
const ONE = 120_000;

describe.each(chosenServers().map((kind) => [kind.name, kind] as const))('%s', async (name, kind) => {
  const absent = await kind.missing();
  if (absent !== undefined) {
    it.skip(absent, () => { /* the name says why */ });
    return;
  }
  let cluster: DeliverCluster | undefined;
  let controller: Controller | undefined;
  beforeAll(async () => {
    cluster = await kind.open();
    await cluster.api.create(readDefinition(), '');
    controller = await startController(cluster, CONTROL, {});
  }, START);
  afterAll(async () => {
    await controller?.stop();
    await cluster?.stop();
  }, START);

  const cases = readCases().filter(({ removal }) => isWhole || name === 'embedded' || removal.smoke === true);
  cases.forEach((one, index) => {
    it.concurrent(one.name, async () => {
      if (cluster !== undefined) await playRemoval(cluster, CONTROL, one, `case-${index + 1}`);
    }, ONE);
  });
});
