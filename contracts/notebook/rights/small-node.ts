import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Cluster, WatchCache, systemClock } from '../../../src/cluster/index.js';
import { isArray, isObject, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { NODES, PODS } from '../../../src/model/resources/index.js';

const NAME = 'small';

/** A node that runs validation pods by their status, and whose logs a real kube-apiserver reads. */
export class SmallNode {
  readonly #pods: WatchCache;

  private constructor(
    readonly cluster: Cluster,
    readonly server: Server,
    readonly runs: (job: string) => boolean,
  ) {
    this.#pods = new WatchCache(
      cluster,
      PODS,
      { clock: systemClock, random: Math.random, report: () => undefined },
      { labelSelector: 'app=jupyter-notebook-validator' },
    );
    this.#pods.subscribe((change) => {
      if (change.type === 'added') void this.#run(change.object);
    });
  }

  /** Runs the pods of those jobs; `certs` has a certificate that nobody checks. */
  static async start(cluster: Cluster, certs: string, runs: (job: string) => boolean): Promise<SmallNode> {
    const server = createServer({
      cert: readFileSync(join(certs, 'apiserver.crt')),
      key: readFileSync(join(certs, 'apiserver.key')),
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const node = new SmallNode(cluster, server, runs);
    server.on('request', ({ url = '' }, response) => {
      response.end(node.#log(url));
    });
    await cluster.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: NAME } });
    const { port } = server.address() as AddressInfo;
    await cluster.patch(
      NODES,
      { name: NAME },
      {
        type: 'merge',
        body: {
          status: {
            addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
            daemonEndpoints: { kubeletEndpoint: { Port: port } },
          },
        },
      },
      { subresource: 'status' },
    );
    return node;
  }

  async close(): Promise<void> {
    this.#pods.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** `/containerLogs/NAMESPACE/POD/CONTAINER` */
  #log(url: string): string {
    const [, , namespace = '', name = ''] = url.split('?')[0]?.split('/') ?? [];
    const nonce = nonceOf(this.#pods.get(namespace, name));
    return [
      { event: 'start', kernel: 'k', cells: 0, codeCells: 0 },
      { event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 },
    ]
      .map((event) => `@argosy ${nonce} ${JSON.stringify(event)}\n`)
      .join('');
  }

  async #run({ metadata: { namespace = '', name = '', labels = {} } }: KubeObject): Promise<void> {
    if (!this.runs(labels['notebookvalidationjob'] ?? '')) return;
    await this.cluster.create(
      PODS,
      { apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name }, target: { kind: 'Node', name: NAME } },
      { subresource: 'binding' },
    );
    const state = (phase: string, states: JsonObject): JsonObject => ({
      status: {
        phase,
        containerStatuses: [
          { name: 'validator', image: 'i', imageID: '', ready: false, restartCount: 0, state: states },
        ],
      },
    });
    for (const body of [
      state('Running', { running: {} }),
      state('Succeeded', { terminated: { exitCode: 0, reason: 'Completed' } }),
    ])
      await this.cluster.patch(PODS, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  }
}

function nonceOf(pod: KubeObject | undefined): string {
  const [container] = isObject(pod?.spec) && isArray(pod.spec.containers) ? pod.spec.containers : [];
  const variables = isObject(container) && isArray(container.env) ? container.env : [];
  const found = variables.find((each) => isObject(each) && each.name === 'ARGOSY_NONCE');
  return isObject(found) ? String(found.value) : '';
}
