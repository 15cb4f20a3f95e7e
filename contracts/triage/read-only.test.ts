import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { runCommand } from '../cli/app-lab.js';
import { Lab, type ControllerIdentity } from '../faults/lab.js';
import { realParts } from '../real/parts.js';
import { APPLICATIONS, DEPLOYMENTS } from '../../src/model/resources/index.js';

const parts = await realParts();
const LONG = 180_000;
const READS = ['get', 'list', 'watch'];

const APPLICATION: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  },
  status: {
    health: { status: 'Degraded' },
    sync: { status: 'Unknown' },
    conditions: [
      {
        type: 'ComparisonError',
        message: "unable to resolve 'main' to a commit SHA",
        lastTransitionTime: '2026-11-16T10:00:00Z',
      },
    ],
  },
};
const WEB: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
};

/** A person with every right looks for causes: the audit log of the server says what was asked of it. */
describe('argosy triage on a real API server', () => {
  if (parts.kind === 'missing') {
    it.skip(`skipped: kube-apiserver (${parts.reason})`, () => {
      /* the name says why */
    });
    return;
  }
  let lab: Lab;
  let seat: ControllerIdentity;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'argosy-triage-'));
    lab = await Lab.open({ controllerManager: false });
    seat = await lab.createIdentity();
    await lab.namespace('shop');
    await lab.cluster.create(APPLICATIONS, APPLICATION);
    await lab.cluster.create(DEPLOYMENTS, WEB);
  }, LONG);
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'writes nothing, whatever it prints and wherever it writes patches',
    async () => {
      const mark = lab.audit.read().length;
      for (const words of [
        ['-o', 'text'],
        ['-o', 'json'],
        ['-o', 'md'],
        ['--fix', join(folder, 'fixes')],
      ]) {
        const { code, out, err } = await runCommand(['triage', '--kubeconfig', seat.kubeconfig, ...words], {});
        expect(code, err).toBe(1);
        expect(out).toContain('revision main');
      }
      let stop = (): void => undefined;
      const stopped = new Promise<void>((resolve) => (stop = resolve));
      await runCommand(['triage', '--kubeconfig', seat.kubeconfig, '--watch', '--interval', '1'], {
        untilStopped: () => stopped,
        stdout: {
          write: () => {
            stop();
          },
        },
      });
      const asked = (await lab.settle(mark)).filter(({ user }) => user === seat.user);
      expect(asked.length).toBeGreaterThan(100);
      expect(asked.filter(({ verb }) => !READS.includes(verb))).toEqual([]);
    },
    LONG,
  );
});
