import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePod } from '../../src/notebook/pod/pod.js';
import { readJob } from '../../src/notebook/index.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { startRealNode, whyNoNode, type RealNode } from './real-node.js';

const absent = whyNoNode();

/** A Deployment and Service that answer, and one workload for each way in which a container does not. */
const WORKLOADS = [
  deployment('web', { command: ['httpd', '-f', '-p', '8080', '-h', '/bin'] }),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'asks' },
    spec: {
      backoffLimit: 50,
      template: {
        spec: {
          restartPolicy: 'OnFailure',
          terminationGracePeriodSeconds: 0,
          containers: [
            container({
              command: [
                'sh',
                '-c',
                'until wget -q -O /dev/null http://web.default.svc/sh; do sleep 0.2; done; echo answered',
              ],
            }),
          ],
        },
      },
    },
  },
  deployment('no-image', { image: 'registry.invalid/app:1' }),
  deployment('no-command', { command: ['/app/server'] }),
  deployment('too-large', {
    command: ['sh', '-c', 'sleep 0.5; tail /dev/zero'],
    resources: { limits: { memory: '12Mi' } },
  }),
];

function container(more: object): object {
  return { name: 'app', image: 'busybox:1.35', ...more };
}

function deployment(name: string, more: object): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [container(more)] },
      },
    },
  };
}

describe.skipIf(absent !== undefined)(absent ?? 'the real node', () => {
  let node: RealNode;
  const kernel = (): string => readFileSync('/proc/sys/vm/overcommit_memory', 'utf8');
  const before = kernel();

  beforeAll(async () => {
    node = await startRealNode();
    await node.until(['get', 'serviceaccount', 'default'], (printed) => printed.includes('default'));
    await node.apply(
      WORKLOADS.map((object) => ({ ...object, metadata: { ...metadataOf(object), namespace: 'default' } })),
    );
  });

  afterAll(() => node.stop());

  it('pods reach each other by the name of a Service', async () => {
    await node.until(['get', 'job', 'asks', '-o', 'jsonpath={.status.succeeded}'], (printed) => printed === '1');
    expect(await node.kubectl(['logs', 'job/asks'])).toContain('answered');
  });

  it('a command runs in a container', async () => {
    expect(await node.kubectl(['exec', 'deploy/web', '--', 'cat', '/etc/hostname'])).toMatch(/^web-/);
  });

  it('a shell that the image lacks shows nothing before it is said to be missing', async () => {
    const cluster = await connectCluster(node.plane.kubeconfigPath);
    const pod = (await node.kubectl(['get', 'pods', '-l', 'app=web', '-o', 'name'])).trim().replace('pod/', '');
    const shown: Buffer[] = [];
    const target = { namespace: 'default', pod, container: 'app', command: ['bash'] };
    const session = await cluster.exec(target, (bytes) => shown.push(bytes));
    const { message } = await session.ended;
    expect(message).toMatch(/"bash": executable file not found/);
    expect(shown).toEqual([]);
    await cluster.close();
  });

  it('a namespace of the standard `restricted` takes the pod of a notebook', async () => {
    const metadata = { name: 'notebooks', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    await node.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata }]);
    await node.until(['get', 'serviceaccount', 'default', '-n', 'notebooks'], (printed) =>
      printed.includes('default '),
    );
    const git = { url: 'https://git.example.com/ml.git', ref: 'main' };
    const podConfig = { serviceAccountName: 'default', securityContext: { fsGroup: 100 } };
    const spec = { notebook: { git, path: 'train.ipynb' }, podConfig };
    const job = readJob({
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { name: 'train', namespace: 'notebooks', uid: '3a1c9d6e-0000-4000-8000-000000000001' },
      spec,
    });
    const order = { runId: 'r1', attempt: 0, nonce: 'n', runner: 'runner', gitImage: '', builtImage: '' };
    const pod = makePod(job, order);
    expect(await node.kubectl(['create', '--dry-run=server', '-o', 'name', '-f', '-'], JSON.stringify(pod))).toMatch(
      /^pod\/train-/,
    );
  });

  it('what cannot start says why in the words of kubelet and containerd', async () => {
    const state = (app: string, field: string): readonly string[] => [
      ...['get', 'pods', '-l', `app=${app}`, '-o'],
      `jsonpath={.items[0].status.containerStatuses[0].${field}}`,
    ];
    await node.until(state('no-image', 'state.waiting.message'), (printed) => printed.includes('no such host'));
    await node.until(state('no-command', 'lastState.terminated'), (printed) =>
      /"exitCode":128.*exec: \\"\/app\/server\\": stat \/app\/server: no such file or directory/.test(printed),
    );
    await node.until(state('too-large', 'lastState.terminated.reason'), (printed) => printed === 'OOMKilled');
  });

  it('it leaves nothing behind and the machine as it was', async () => {
    const pids = [node.kubelet.child.pid, node.containerd.child.pid, node.plane.pids.apiserver];
    expect(pids.every((pid) => existsSync(`/proc/${pid}`))).toBe(true);
    await node.stop();
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(existsSync(node.sandbox.dir)).toBe(false);
    expect(existsSync(`/sys/fs/cgroup/memory${node.sandbox.cgroup}`)).toBe(false);
    expect(JSON.stringify(networkInterfaces())).not.toContain(node.sandbox.hostAddress);
    expect(kernel()).toBe(before);
  });
});

function metadataOf(object: object): object {
  return 'metadata' in object && typeof object.metadata === 'object' && object.metadata !== null ? object.metadata : {};
}
