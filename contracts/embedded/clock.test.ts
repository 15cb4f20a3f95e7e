import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { textAt } from '../../src/model/json/index.js';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '../../src/model/resources/index.js';
import { findFakeTime, WallClock } from '../faults/wall-clock.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { embeddedMissing } from './embedded-server.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const WITHIN = { timeout: 30_000, interval: 100 };
const DAY = 86_400_000;
const library = findFakeTime();
const missing = embeddedMissing() ?? (library === undefined ? 'skipped: faketime is not installed' : undefined);

describe.skipIf(missing !== undefined)(
  `a clock that is set back a day${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const data = mkdtempSync(join(tmpdir(), 'argosy-clock-'));
    const kubeconfigPath = join(data, 'kubeconfig');
    const clock = new WallClock(data, library ?? '');
    const clusters: Cluster[] = [];
    let server: ChildProcess;
    let token = '';

    async function start(): Promise<void> {
      rmSync(join(data, 'run.json'), { force: true });
      server = spawn(
        process.execPath,
        ['--disable-proto=delete', MAIN, 'apiserver', '--data', data, '--api-port', '0', '--controllers', 'none'],
        { stdio: 'ignore', env: { ...process.env, ...clock.environment } },
      );
      await vi.waitFor(() => {
        expect(existsSync(join(data, 'run.json')) && existsSync(kubeconfigPath)).toBe(true);
      }, WITHIN);
    }
    async function stop(): Promise<void> {
      const gone = once(server, 'exit');
      server.kill('SIGTERM');
      await gone;
    }
    /** Connections of their own, so that certificates are looked at again. */
    async function administrator(): Promise<Cluster> {
      const cluster = await connectCluster(kubeconfigPath);
      clusters.push(cluster);
      return cluster;
    }
    async function account(): Promise<Cluster> {
      const config = await loadKubeconfig({ path: kubeconfigPath, environment: {}, defaultPath: kubeconfigPath });
      const cluster = connect(
        { ...config, user: { token } },
        { clock: systemClock, random: Math.random, report: () => undefined },
        { version: '0.0.0', environment: {} },
      );
      clusters.push(cluster);
      return cluster;
    }
    /** What the server takes for now, in milliseconds from the truth. */
    async function shift(): Promise<number> {
      const written = await (await administrator()).create(
        CONFIG_MAPS,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'now' } },
        { dryRun: true },
      );
      return Date.parse(written.metadata.creationTimestamp ?? '') - Date.now();
    }
    async function everybodyIsKnown(): Promise<void> {
      await expect.poll(shift, WITHIN).toBeLessThan(-DAY / 2);
      expect((await (await administrator()).list(NAMESPACES)).items.length).toBeGreaterThan(0);
      const review = await (await account()).create(
        {
          group: 'authentication.k8s.io',
          version: 'v1',
          kind: 'SelfSubjectReview',
          plural: 'selfsubjectreviews',
          namespaced: false,
        },
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
      );
      expect(textAt(review, 'status', 'userInfo', 'username')).toBe('system:serviceaccount:default:worker');
    }

    beforeAll(async () => {
      await start();
      const cluster = await administrator();
      await cluster.create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'default', name: 'worker' },
      });
      token = textAt(
        await cluster.create(
          SERVICE_ACCOUNTS,
          {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenRequest',
            metadata: { namespace: 'default', name: 'worker' },
            spec: { expirationSeconds: 3600 },
          },
          { subresource: 'token' },
        ),
        'status',
        'token',
      );
    });
    afterAll(async () => {
      for (const cluster of clusters) await cluster.close();
      await stop();
      rmSync(data, { recursive: true, force: true });
    });

    it('leaves certificates and tokens valid while the server runs, and after a restart', async () => {
      clock.set('-1d');
      await everybodyIsKnown();
      await stop();
      await start();
      await everybodyIsKnown();
    });
  },
);
