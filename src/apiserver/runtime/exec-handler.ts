import type { WebSocket } from '../../net/web-socket/index.js';
import { objectIn, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, badRequest, notFound } from '../errors/index.js';
import { isTrue, type SpecialResponse, type SpecialCall } from '../http/index.js';
import { items, maybe, text } from '../resources/index.js';
import { fromStored, keyFor } from '../rest/index.js';
import { chooseContainer } from './log-handler.js';
import type { ExecListener, RunningCommand, RunningContainer } from './runtime.js';
import type { RunningContainers } from './running-containers.js';

/** Ways to carry several streams in one; of the newer a client may also end its input. */
const [NEWER, OLDER] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The first byte of a message says which stream it belongs to. */
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** A client that does not read is not written to without end. */
const MAX_UNREAD_BYTES = 4 << 20;

/** pods/NAME/exec over a WebSocket, as the API server and the kubelet behind it answer. */
export async function podExec(
  running: RunningContainers,
  { context, call, query, upgrade }: SpecialCall,
): Promise<SpecialResponse> {
  const stored = context.store.get(keyFor(call.type, call.namespace, call.name));
  if (!stored) throw notFound({ group: '', resource: 'pods' }, call.name);
  const pod = fromStored(call.type, stored);
  if (text(maybe(pod, 'spec'), 'nodeName') === '') throw badRequest(`pod ${call.name} does not have a host assigned`);
  await execInPod(running, pod, chooseContainer(pod, query.get('container') ?? ''), { query, upgrade });
  return { code: 101, sent: true };
}

/** What a kubelet does when the API server hands on such a request. */
export async function execInPod(
  running: RunningContainers,
  pod: KubeObject,
  name: string,
  { query, upgrade }: Pick<SpecialCall, 'query' | 'upgrade'>,
): Promise<void> {
  const container = runningContainer(running, pod, name);
  const start = container.exec?.bind(container);
  if (start === undefined)
    throw new ApiError(
      501,
      'NotImplemented',
      `exec is not possible: container ${JSON.stringify(name)} of pod ${JSON.stringify(pod.metadata.name ?? '')} is ` +
        'simulated here, so nothing runs in it',
      {},
    );
  const command = query.getAll('command');
  if (command.length === 0) throw badRequest('you must specify a command for the container');
  const protocol = upgrade?.protocols.find((each) => each === NEWER || each === OLDER);
  if (upgrade === undefined || protocol === undefined || upgrade.handshakeError !== undefined)
    throw badRequest(`Upgrade request required: exec is served over WebSockets, with ${NEWER} or ${OLDER}`);
  relayStreams(await upgrade.accept(protocol), (listener) =>
    start({ command, tty: isTrue(query.get('tty')) }, listener),
  );
}

function runningContainer(running: RunningContainers, pod: KubeObject, name: string): RunningContainer {
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((list) => items(maybe(pod, 'status'), list));
  const status = statuses.find((each) => text(each, 'name') === name && maybe(each, 'state.running') !== undefined);
  const found = status === undefined ? undefined : running.find(text(status, 'containerID'));
  if (found === undefined)
    throw new ApiError(
      500,
      'InternalError',
      `Internal error occurred: unable to upgrade connection: container not found (${JSON.stringify(name)})`,
      {},
    );
  return found;
}

function relayStreams(socket: WebSocket, start: (listener: ExecListener) => RunningCommand): void {
  const send = (channel: number, bytes: Buffer): void => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  };
  const command = start({
    out: (stream, bytes) => {
      send(CHANNELS[stream], bytes);
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    },
    ended: (end) => {
      send(CHANNELS.error, Buffer.from(JSON.stringify(statusOf(end))));
      socket.close(1000);
    },
  });
  socket.on('message', (message: Buffer) => {
    handleInput(command, message);
  });
  socket.on('error', () => {
    socket.terminate();
  });
  socket.on('close', () => {
    command.kill();
  });
}

function handleInput(command: RunningCommand, message: Buffer): void {
  const bytes = message.subarray(1);
  switch (message[0]) {
    case CHANNELS.stdin:
      return command.write(bytes);
    case CHANNELS.resize: {
      const { Width: columns, Height: rows } = objectIn(bytes.toString('utf8'));
      if (isSize(columns) && isSize(rows)) command.resize(columns, rows);
      return undefined;
    }
    case CHANNELS.close:
      return bytes[0] === CHANNELS.stdin ? command.endInput() : undefined;
    default:
      return undefined;
  }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

function statusOf({ exitCode, error: error }: { readonly exitCode: number; readonly error?: string }): JsonObject {
  if (error !== undefined)
    return {
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: error executing command in container: ${error}`,
      reason: 'InternalError',
      details: { causes: [{ message: error }] },
      code: 500,
    };
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
