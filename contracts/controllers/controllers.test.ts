import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedProcess } from '../embedded/embedded-server.js';
import { startKubeControllerManager, startKubeScheduler } from '../real/managers.js';
import { realParts } from '../real/parts.js';
import { at, Cluster, metadataName } from './cluster.js';

const START = 20 * 60_000;
const RENEW_EVERY = 5_000;
const NODES = ['node-a', 'node-b', 'node-c'];

const parts = await realParts(['kube-controller-manager', 'kube-scheduler']);
const absent =
  parts.kind === 'missing'
    ? `skipped: kube-controller-manager and kube-scheduler (${parts.reason})`
    : embeddedMissing();

const podSpec = (restartPolicy: string): JsonObject => ({
  restartPolicy,
  containers: [{ name: 'main', image: 'registry.example.com/app:1' }],
});
const deployment = (name: string, replicas: number): JsonObject => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: podSpec('Always') },
  },
});
const condition = (object: JsonObject, type: string): JsonObject | undefined => {
  const list = at(object, 'status.conditions');
  return Array.isArray(list) ? list.filter(isObject).find((one) => one.type === type) : undefined;
};

describe('the real kube-controller-manager and kube-scheduler on our server', () => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let cluster: Cluster;
  const stops: (() => Promise<void> | void)[] = [];
  const inNamespace = (path: string): string => `/${path.replace('NS', 'namespaces/work')}`;
  const pods = (selector: string): Promise<JsonObject[]> =>
    cluster.list(`${inNamespace('api/v1/NS/pods')}?labelSelector=${selector}`);

  beforeAll(async () => {
    const server = await startEmbeddedProcess();
    stops.push(() => server.stop());
    const connection = new Connection(server.kubeconfigPath);
    stops.push(() => connection.close());
    cluster = new Cluster(connection);
    const { kubeconfigPath, dir } = server;
    const managers = await Promise.all([
      startKubeControllerManager({
        kubeconfigPath,
        dir,
        serviceAccountKey: join(dir, 'pki/sa.key'),
        rootCa: join(dir, 'pki/ca.crt'),
      }),
      startKubeScheduler({ kubeconfigPath, dir }),
    ]);
    stops.push(...managers.map((manager) => () => manager.stop()));
    for (const name of NODES) await cluster.addNode(name);
    const renewing = setInterval(() => {
      cluster.renewLeases().catch((error: unknown) => {
        console.error(error);
      });
    }, RENEW_EVERY);
    stops.push(() => {
      clearInterval(renewing);
    });
    await cluster.requestJson('POST', '/api/v1/namespaces', { metadata: { name: 'work' } });
    // A new node is tainted until the controller manager has seen that it is ready; until then nothing lands there.
    await cluster.until('nodes without taints', async () => {
      const nodes = await cluster.list('/api/v1/nodes');
      return nodes.length === NODES.length && nodes.every((node) => at(node, 'spec.taints') === undefined)
        ? nodes
        : undefined;
    });
  }, START);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('a new namespace gets its service account and the root certificates', async () => {
    const account = await cluster.until('the service account default', async () => {
      const answer = await cluster.request('GET', inNamespace('api/v1/NS/serviceaccounts/default'));
      return answer.code === 200 ? answer.body : undefined;
    });
    expect(metadataName(account)).toBe('default');
    const roots = await cluster.until('the configmap kube-root-ca.crt', async () => {
      const answer = await cluster.request('GET', inNamespace('api/v1/NS/configmaps/kube-root-ca.crt'));
      return answer.code === 200 ? answer.body : undefined;
    });
    expect(at(roots, 'data')).toHaveProperty(['ca.crt']);
  }, 120_000);

  it('a Deployment of 3 becomes 3 pods bound to nodes, and is available once they are ready', async () => {
    await cluster.requestJson('POST', inNamespace('apis/apps/v1/NS/deployments'), deployment('web', 3));
    const bound = await cluster.until('3 pods that are bound', async () => {
      const found = (await pods('app=web')).filter((pod) => typeof at(pod, 'spec.nodeName') === 'string');
      return found.length === 3 ? found : undefined;
    });
    expect(new Set(bound.map((pod) => at(pod, 'spec.nodeName')))).toEqual(new Set(NODES));
    for (const pod of bound) {
      await cluster.requestJson('PATCH', inNamespace(`api/v1/NS/pods/${metadataName(pod)}/status`), {
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }],
        },
      });
    }
    const available = await cluster.until('the Deployment is available', async () => {
      const found = await cluster.requestJson('GET', inNamespace('apis/apps/v1/NS/deployments/web'));
      return at(found, 'status.availableReplicas') === 3 ? found : undefined;
    });
    expect(condition(available, 'Available')?.status).toBe('True');
  }, 120_000);

  it('a Job makes its pod, and is complete once the pod has succeeded', async () => {
    await cluster.requestJson('POST', inNamespace('apis/batch/v1/NS/jobs'), {
      metadata: { name: 'once' },
      spec: { template: { spec: podSpec('Never') } },
    });
    const pod = await cluster.until('the pod of the Job, bound', async () =>
      (await pods('job-name=once')).find((one) => typeof at(one, 'spec.nodeName') === 'string'),
    );
    await cluster.requestJson('PATCH', inNamespace(`api/v1/NS/pods/${metadataName(pod)}/status`), {
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            name: 'main',
            image: 'a',
            imageID: 'a',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 0 } },
          },
        ],
      },
    });
    const done = await cluster.until('the Job is complete', async () => {
      const job = await cluster.requestJson('GET', inNamespace('apis/batch/v1/NS/jobs/once'));
      return condition(job, 'Complete') ? job : undefined;
    });
    expect(at(done, 'status.succeeded')).toBe(1);
    const [left] = await pods('job-name=once');
    expect(left && at(left, 'metadata.finalizers')).toBeUndefined();
  }, 120_000);

  it.each(['Background', 'Foreground'])(
    'deleting a Deployment takes its ReplicaSet and pods along (%s)',
    async (propagationPolicy) => {
      const name = `gone-${propagationPolicy.toLowerCase()}`;
      await cluster.requestJson('POST', inNamespace('apis/apps/v1/NS/deployments'), deployment(name, 2));
      await cluster.until('its pods', async () => ((await pods(`app=${name}`)).length === 2 ? true : undefined));
      await cluster.requestJson('DELETE', inNamespace(`apis/apps/v1/NS/deployments/${name}`), { propagationPolicy });
      await cluster.until('no Deployment, no ReplicaSet, no pod', async () => {
        const sets = await cluster.list(`${inNamespace('apis/apps/v1/NS/replicasets')}?labelSelector=app=${name}`);
        const owner = await cluster.request('GET', inNamespace(`apis/apps/v1/NS/deployments/${name}`));
        return sets.length === 0 && (await pods(`app=${name}`)).length === 0 && owner.code === 404 ? true : undefined;
      });
      // What nobody deleted stays.
      expect(await pods('app=web')).toHaveLength(3);
    },
    120_000,
  );

  it('deleting a Deployment with Orphan leaves its ReplicaSet without an owner', async () => {
    await cluster.requestJson('POST', inNamespace('apis/apps/v1/NS/deployments'), deployment('left', 1));
    const sets = (): Promise<JsonObject[]> =>
      cluster.list(`${inNamespace('apis/apps/v1/NS/replicasets')}?labelSelector=app=left`);
    await cluster.until('its ReplicaSet', async () => (await sets())[0]);
    await cluster.requestJson('DELETE', inNamespace('apis/apps/v1/NS/deployments/left'), {
      propagationPolicy: 'Orphan',
    });
    await cluster.until('the Deployment is gone', async () =>
      (await cluster.request('GET', inNamespace('apis/apps/v1/NS/deployments/left'))).code === 404 ? true : undefined,
    );
    expect((await sets()).map((set) => at(set, 'metadata.ownerReferences'))).toEqual([undefined]);
  }, 120_000);

  it('deleting a namespace removes everything in it, then the namespace', async () => {
    await cluster.requestJson('POST', inNamespace('api/v1/NS/configmaps'), { metadata: { name: 'one' } });
    await cluster.requestJson('DELETE', '/api/v1/namespaces/work');
    await cluster.until('the namespace is gone', async () =>
      (await cluster.request('GET', '/api/v1/namespaces/work')).code === 404 ? true : undefined,
    );
    expect(await cluster.list('/api/v1/namespaces/work/pods')).toEqual([]);
    expect(await cluster.list('/apis/apps/v1/namespaces/work/replicasets')).toEqual([]);
  }, 120_000);
});
