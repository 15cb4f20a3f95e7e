import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ApiError } from '../../../src/apiserver/errors/index.js';
import { execInPod, type ContainerLogs, type RunningContainers } from '../../../src/apiserver/runtime/index.js';
import { issueCertificate } from '../../../src/model/certificates/index.js';
import { isObject, listAt, textAt, valueAt } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { NODES, PODS } from '../../../src/model/resources/index.js';
import { handleUpgrades, type Upgrade } from '../../../src/net/web-socket/index.js';
import type { Mirror } from './mirror.js';
import { remoteClient } from './remote-client.js';

const COMPONENT = 'kubelet';

/** What the nodes' containers wrote, and where they run. */
export interface NodeContainers {
  readonly logs: ContainerLogs;
  readonly running: RunningContainers;
}

/** Where the API server asks the nodes for logs and for terminals: every node gets its address. */
export async function startKubeletEndpoint(
  mirror: Mirror,
  { logs, running }: NodeContainers,
): Promise<{ close(): Promise<void> }> {
  const { certificate, key } = issueCertificate({
    commonName: COMPONENT,
    use: 'server',
    hosts: ['127.0.0.1'],
    notBefore: new Date(Date.now() - 60_000),
    days: 1,
  });
  const answer = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    if (!(request.url ?? '').startsWith('/exec/')) return answerLog(mirror, logs, request, response);
    exec(mirror, running, request, upgrade).catch((error: unknown) => {
      response.statusCode = error instanceof ApiError ? error.code : 500;
      response.end(error instanceof Error ? error.message : '');
    });
  };
  const server = createServer({ cert: certificate, key }, (request, response) => answer(request, response));
  const upgrades = handleUpgrades(server, answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const nodes = mirror.watch(NODES, ({ type, object }) => {
    if (type !== 'DELETED') void giveAddress(mirror, object, port).catch(() => undefined);
  });
  return {
    close: () => {
      nodes.close();
      upgrades.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** The address that a simulated node gives itself leads nowhere from another process. */
async function giveAddress(mirror: Mirror, node: KubeObject, port: number): Promise<void> {
  if (valueAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port') === port) return;
  await remoteClient(mirror, COMPONENT).edit(
    NODES,
    '',
    node.metadata.name ?? '',
    (copy) => {
      copy['status'] = {
        ...(isObject(copy.status) ? copy.status : {}),
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      };
    },
    'status',
  );
}

/** `/exec/NAMESPACE/POD/CONTAINER`, over the WebSocket that the API server hands on. */
async function exec(
  mirror: Mirror,
  running: RunningContainers,
  request: IncomingMessage,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node');
  const [, , namespace = '', name = '', container = ''] = pathname.split('/');
  const pod = mirror.get(PODS, namespace, name);
  if (pod === undefined) throw new ApiError(404, 'NotFound', `pod ${JSON.stringify(name)} does not exist`, {});
  await execInPod(running, pod, container, { query: searchParams, upgrade });
}

/** `/containerLogs/NAMESPACE/POD/CONTAINER`, with the options that the API server hands on. */
function answerLog(mirror: Mirror, logs: ContainerLogs, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node');
  const [, , namespace = '', name = '', container = ''] = pathname.split('/');
  const pod = mirror.get(PODS, namespace, name);
  const id = pod === undefined ? '' : runOf(pod, container, searchParams.get('previous') === 'true');
  if (id === '') {
    response.statusCode = 400;
    response.end(`container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is not available`);
    return;
  }
  const tail = searchParams.get('tailLines');
  const stamps = searchParams.get('timestamps') === 'true';
  const write = ({ time, text }: { readonly time: Date; readonly text: string }): void => {
    response.write(`${stamps ? `${time.toISOString().slice(0, -1)}000000Z ` : ''}${text}\n`);
  };
  const { lines, ended } = logs.read(pod?.metadata.uid ?? '', container, id);
  (tail === null ? lines : lines.slice(-Number(tail))).forEach(write);
  if (ended || searchParams.get('follow') !== 'true') {
    response.end();
    return;
  }
  response.flushHeaders();
  const following = logs.follow(id, (line) => {
    if (line === undefined) response.end();
    else write(line);
  });
  response.on('close', () => following.close());
}

/** The id of the run whose log is asked for; empty where there is none. */
function runOf(pod: KubeObject, container: string, previous: boolean): string {
  const status = ['containerStatuses', 'initContainerStatuses']
    .flatMap((list) => listAt(pod, 'status', list))
    .find((each) => textAt(each, 'name') === container);
  const last = textAt(status, 'lastState', 'terminated', 'containerID');
  if (previous) return last;
  return (
    textAt(status, 'state', 'running', 'containerID') ||
    textAt(status, 'state', 'terminated', 'containerID') ||
    last ||
    textAt(status, 'containerID')
  );
}
