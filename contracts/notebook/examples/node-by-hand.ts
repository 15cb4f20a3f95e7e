import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '../../../src/model/certificates/index.js';
import type { Cluster } from '../../../src/cluster/index.js';
import { isObject, listAt, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { NODES, PODS } from '../../../src/model/resources/index.js';

const NODE = 'by-hand';

/** How a notebook ends on this node. */
export interface NotebookEnd {
  /** The outputs of its cells. */
  readonly cells: readonly string[];
  /** What the cell after them raised. */
  readonly error?: { readonly type: string; readonly message: string };
}

/**
 * A node of a real API server on which nothing runs: the test says what becomes of its pods, and the API server asks it
 * for their logs.
 */
export class NodeByHand {
  readonly #logs = new Map<string, string>();

  private constructor(
    readonly cluster: Cluster,
    readonly server: Server,
  ) {}

  static async open(cluster: Cluster): Promise<NodeByHand> {
    const { certificate, key } = issueCertificate({
      commonName: NODE,
      use: 'server',
      hosts: ['127.0.0.1'],
      notBefore: new Date(Date.now() - 60_000),
      days: 1,
    });
    const server = createServer({ cert: certificate, key }, (request, response) => {
      // /containerLogs/NAMESPACE/POD/CONTAINER
      const [, , namespace = '', pod = ''] = new URL(request.url ?? '/', 'https://node').pathname.split('/');
      response.end(node.#logs.get(`${namespace}/${pod}`) ?? '');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const node = new NodeByHand(cluster, server);
    await cluster.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } });
    await cluster.patch(
      NODES,
      { name: NODE },
      {
        type: 'merge',
        body: {
          status: {
            addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
            daemonEndpoints: { kubeletEndpoint: { Port: (server.address() as AddressInfo).port } },
          },
        },
      },
      { subresource: 'status' },
    );
    return node;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  /** The pod of a job that waits for a node gets this one, and runs. Undefined where no pod waits. */
  async start(namespace: string, job: string): Promise<KubeObject | undefined> {
    const { items } = await this.cluster.list(PODS, { namespace, labelSelector: `notebookvalidationjob=${job}` });
    const pod = items.find(
      ({ spec, metadata }) => isObject(spec) && spec.nodeName === undefined && metadata.deletionTimestamp === undefined,
    );
    if (pod === undefined) return undefined;
    await this.cluster.create(
      PODS,
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name ?? '', namespace },
        target: { kind: 'Node', name: NODE },
      },
      { subresource: 'binding' },
    );
    this.#logs.set(namespacedName(pod), lines(pod, [{ event: 'start', kernel: 'by hand', cells: 1, codeCells: 1 }]));
    await this.#say(pod, 'Running', { running: { startedAt: now() } });
    return pod;
  }

  /** Its container ends, and its log tells how. */
  async end(pod: KubeObject, { cells, error }: NotebookEnd): Promise<void> {
    const ran = cells.map(
      (output, cell): JsonObject => ({
        event: 'cell',
        cell,
        cellType: 'code',
        status: 'Success',
        seconds: 0.1,
        output,
      }),
    );
    const failed: JsonObject[] =
      error === undefined
        ? []
        : [
            {
              event: 'cell',
              cell: cells.length,
              cellType: 'code',
              status: 'Failure',
              seconds: 0.1,
              errorType: error.type,
              errorMessage: error.message,
              traceback: `${error.type}: ${error.message}`,
            },
          ];
    const end: JsonObject =
      error === undefined
        ? { event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }
        : {
            event: 'end',
            status: 'failed',
            category: 'notebook_execution_failed',
            error: error.message,
            failedCell: cells.length,
            seconds: 1,
          };
    const count = cells.length + failed.length;
    this.#logs.set(
      namespacedName(pod),
      lines(pod, [{ event: 'start', kernel: 'by hand', cells: count, codeCells: count }, ...ran, ...failed, end]),
    );
    const exitCode = error === undefined ? 0 : 1;
    await this.#say(pod, exitCode === 0 ? 'Succeeded' : 'Failed', {
      terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: now(), finishedAt: now() },
    });
  }

  async #say({ metadata: { namespace = '', name = '' } }: KubeObject, phase: string, state: JsonObject): Promise<void> {
    const container = {
      name: 'validator',
      image: 'notebook',
      imageID: '',
      ready: phase === 'Running',
      restartCount: 0,
      state,
    };
    await this.cluster.patch(
      PODS,
      { namespace, name },
      { type: 'merge', body: { status: { phase, containerStatuses: [container] } } },
      { subresource: 'status' },
    );
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

function namespacedName({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** As the runner in this pod would print them. */
function lines({ spec }: KubeObject, events: readonly JsonObject[]): string {
  const environment = listAt(spec, 'containers').flatMap((container) => listAt(container, 'env'));
  const nonce = environment.find((each) => isObject(each) && each.name === 'ARGOSY_NONCE');
  return events
    .map((event) => `@argosy ${isObject(nonce) ? String(nonce.value) : ''} ${JSON.stringify(event)}\n`)
    .join('');
}
