import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { getPointer } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { DEPLOYMENTS, PODS } from '../../model/resources/index.js';

const workload = (name: string, lines: readonly string[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: {
        labels: { app: name },
        annotations: { 'argosy.dev/simulate': JSON.stringify({ '*': { log: lines } }) },
      },
      spec: { containers: [{ name: 'main', image: 'x:1' }] },
    },
  },
});

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab({ controllers: true });
  const deployments = DEPLOYMENTS;
  await lab.cluster.create(deployments, workload('web', ['started', 'Listening on 8080']));
  await lab.cluster.create(deployments, workload('other', ['not of this application']));
  await lab.create('web', {
    status: {
      sync: { status: 'Synced', comparedTo: { source: { repoURL: 'x' }, destination: {} } },
      resources: [
        { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' },
      ],
    },
  });
  await runningPods(2);
});
afterAll(() => lab.close());

/** Resolves when so many pods of the namespace run. */
async function runningPods(count: number): Promise<void> {
  const running = new Set<string>();
  const done = new AbortController();
  const see = (pod: KubeObject): void => {
    if (getPointer(pod, '/status/phase') === 'Running') running.add(pod.metadata.name ?? '');
    if (running.size === count) done.abort();
  };
  const { items, resourceVersion } = await lab.cluster.list(PODS, { namespace: 'shop' });
  items.forEach(see);
  if (!done.signal.aborted)
    await lab.cluster
      .watch(
        PODS,
        { namespace: 'shop', resourceVersion },
        {
          event: (event) => {
            if (event.type !== 'BOOKMARK') see(event.object);
          },
        },
        done.signal,
      )
      .catch((error: unknown) => {
        if (!done.signal.aborted) throw error;
      });
}

it("app logs prints the logs of the application's own pods", async () => {
  const logs = async (...flags: string[]): Promise<string> => (await lab.run(['app', 'logs', 'web', ...flags])).out;
  expect(await logs()).toBe('started\nListening on 8080\n');
  expect(await logs('--tail', '1')).toBe('Listening on 8080\n');
  expect(await logs('--filter', 'listening')).toBe('Listening on 8080\n');
  expect(await logs('--filter', 'listening', '--match-case')).toBe('');
  expect(await logs('--kind', 'Deployment', '--name', 'web', '-c', 'main')).toBe('started\nListening on 8080\n');
  expect(await logs('--kind', 'StatefulSet')).toBe('');
});

it('app logs --follow streams until stopped', async () => {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let out = '';
  const { code } = await lab.run(['app', 'logs', 'web', '-f'], {
    untilStopped: () => stopped,
    stdout: {
      write: (text: string) => {
        out += text;
        stop();
      },
    },
  });
  expect([code, out]).toEqual([0, 'started\nListening on 8080\n']);
});
