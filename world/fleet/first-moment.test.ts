import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { fastClock } from '../testing/fast-clock.js';
import {
  applyFleet,
  awaitSymptoms,
  FIRST_CLUSTER_SYMPTOMS,
  firstSymptoms,
  keepOwnNodes,
  makeFleet,
  renderFleet,
  writeRepository,
  type RenderedApplication,
} from './index.js';
import { NO_LOG } from '../../src/model/logging/index.js';

const POLL_INTERVAL = 250;
/** Components up to the last that the tables name. */
const APPLICATIONS = 22;

const data = mkdtempSync(join(tmpdir(), 'argosy-first-moment-'));
const clock = fastClock();
const fleet = makeFleet({
  environments: 1,
  applications: APPLICATIONS,
  moment: 'first',
  repository: { url: `file://${data}/fleet.git`, revision: 'main' },
});
const wait = { pause: () => clock.pause(POLL_INTERVAL), elapsed: () => performance.now(), within: 30_000 };

let server: ApiServer;
let cluster: Cluster;
let rendered: RenderedApplication[];

beforeAll(async () => {
  writeRepository(join(data, 'fleet.git'), [{ message: 'first', files: fleet.files }]);
  rendered = await renderFleet(fleet.applications, { data: join(data, 'mirrors') });
  server = await startApiServer({
    data,
    port: 0,
    controllers: true,
    log: NO_LOG,
    clock,
    world: join(import.meta.dirname, '..'),
  });
  cluster = connect(
    await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0.0.0', environment: {} },
  );
}, 60_000);

afterAll(async () => {
  await cluster.close();
  await server.close();
  rmSync(data, { recursive: true, force: true });
});

describe('a fleet at its first moment', () => {
  it('shows the claims, pods, stores and secrets of the inventory', async () => {
    await keepOwnNodes(cluster, fleet.outside, wait);
    await applyFleet(cluster, fleet.outside, rendered);
    const symptoms = [
      ...FIRST_CLUSTER_SYMPTOMS,
      ...fleet.environments.flatMap((environment) => firstSymptoms(environment, rendered)),
    ];
    expect(symptoms).toHaveLength(17);
    const seen = await awaitSymptoms(cluster, symptoms, wait);
    expect(seen.flatMap(({ missing }) => missing)).toEqual([]);
  }, 60_000);

  it('says what is there instead of a symptom that does not come', async () => {
    const [store] = await awaitSymptoms(
      cluster,
      FIRST_CLUSTER_SYMPTOMS.map((symptom) => ({ ...symptom, columns: { READY: 'True' } })),
      { ...wait, within: 0 },
    );
    expect(store).toMatchObject({
      count: 0,
      missing: [expect.stringMatching(/^ameide-vault: ameide-vault READY=False .*no such host/)],
    });
  });
});
