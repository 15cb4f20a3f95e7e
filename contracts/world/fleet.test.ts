import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorld } from '../../src/apiserver/stages/read-world.js';
import { type Cluster, connect, loadKubeconfig, systemClock } from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { applyFleet, makeFleet, renderFleet, writeRepository } from '../../world/fleet/index.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { CRDS } from '../../src/model/resources/index.js';

const WORLD = join(import.meta.dirname, '../../world');
/** Far more than a server needs to serve all kinds. */
const SERVED_WITHIN = 60_000;

const parts = await realParts(['etcd', 'kube-apiserver']);
const absent = parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;
const wanted = (process.env['ARGOSY_CONTRACT'] ?? 'both') !== 'embedded';

/** Installs the kinds of the world, and waits until the server has them all. */
async function installKinds(cluster: Cluster): Promise<void> {
  const crds: KubeObject[] = [];
  for (const name of readdirSync(join(WORLD, 'controllers')).sort())
    for (const controller of await readWorld(WORLD, [name])) crds.push(...controller.crds);
  await Promise.all(crds.map((crd) => cluster.apply(CRDS, crd, { force: true })));
  const names = new Set(crds.map(({ metadata }) => metadata.name));
  const end = performance.now() + SERVED_WITHIN;
  for (;;) {
    const served = new Set((await cluster.discover()).kinds.map(({ plural, group }) => `${plural}.${group}`));
    const missing = [...names].filter((name) => !served.has(name ?? ''));
    if (missing.length === 0) return;
    if (performance.now() > end) throw new Error(`not served: ${missing.join(', ')}`);
    await delay(100);
  }
}

describe.skipIf(absent !== undefined || !wanted)(absent ?? 'the real kube-apiserver accepts the fleet', () => {
  let plane: ControlPlane;
  let cluster: Cluster;

  beforeAll(async () => {
    plane = await startRealControlPlane({ etcdFsync: false });
    cluster = connect(
      await loadKubeconfig({ path: plane.kubeconfigPath, environment: {}, defaultPath: '' }),
      { clock: systemClock, random: Math.random, report: () => undefined },
      { version: '0.0.0', environment: {} },
    );
    await installKinds(cluster);
  }, 150_000);

  afterAll(async () => {
    await cluster.close();
    await plane.stop();
  });

  it('every object of 200 applications in three environments, and what must be there before', {
    timeout: 120_000,
  }, async () => {
    const fleet = makeFleet({
      environments: 3,
      applications: 65,
      repository: { url: `file://${plane.dir}/fleet.git`, revision: 'main' },
    });
    writeRepository(join(plane.dir, 'fleet.git'), [
      { message: 'The platform and its applications', files: fleet.files },
    ]);
    const rendered = await renderFleet(fleet.applications, { data: join(plane.dir, 'mirrors') });
    const applied = await applyFleet(cluster, fleet.outside, rendered);
    expect(applied.length).toBe(rendered.reduce((sum, { objects }) => sum + objects.length, 0));
    expect(applied.length).toBeGreaterThan(600);
    // What was sent twice under one name would be one object less.
    expect(
      new Set(
        applied.map(({ metadata }) => metadata.annotations?.['argocd.argoproj.io/tracking-id']?.replace(/^[^:]*:/, '')),
      ).size,
    ).toBe(applied.length);
  });
});
