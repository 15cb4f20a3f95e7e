import { randomInt } from 'node:crypto';
import { request as send, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError, notFound } from '../../errors/index.js';
import type { SpecialResponse, SpecialCall, SpecialHandlers } from '../../http/index.js';
import { fromStored, keyFor } from '../../rest/index.js';
import { items, maybe, number, text } from '../../resources/index.js';

/** A connection to a process of the pod with this address; undefined where no process runs. */
export type PodDialer = (podIp: string, port: number) => Promise<Socket> | undefined;

interface Target {
  readonly ip: string;
  readonly port: number;
}

/** Milliseconds without a word after which a process is given up. */
const PROXY_TIMEOUT = 60_000;
/** Belong to one connection, or to us. */
const OWN_HEADERS = new Set([
  'authorization',
  'connection',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** `pods/NAME:PORT/proxy/PATH` and `services/NAME:PORT/proxy/PATH`: requests that are passed on to a process. */
export function proxyHandlers(dial: PodDialer): SpecialHandlers {
  const all = (
    find: (asked: SpecialCall) => Target,
  ): Record<'get' | 'create' | 'update' | 'patch' | 'delete', (asked: SpecialCall) => Promise<SpecialResponse>> => {
    const pass = (asked: SpecialCall): Promise<SpecialResponse> => forward(asked, find(asked), dial);
    return { get: pass, create: pass, update: pass, patch: pass, delete: pass };
  };
  return new Map([
    ['/pods/proxy', all(podTarget)],
    ['/services/proxy', all(serviceTarget)],
  ]);
}

/** `https:name:port`, `name:port` or `name`. */
function nameAndPort(asked: string): { name: string; port: string } {
  const parts = asked.split(':');
  if (parts.length === 3) return { name: parts[1] ?? '', port: parts[2] ?? '' };
  return { name: parts[0] ?? '', port: parts[1] ?? '' };
}

function read({ context, call }: SpecialCall, plural: string, name: string): KubeObject {
  const type = context.types.preferred('', plural);
  const stored = type && context.store.get(keyFor(type, call.namespace, name));
  if (!stored) throw notFound({ group: '', resource: plural }, name);
  return fromStored(type, stored);
}

function podTarget(asked: SpecialCall): Target {
  const { name, port } = nameAndPort(asked.call.name);
  const pod = read(asked, 'pods', name);
  const ports = items(maybe(pod, 'spec'), 'containers').flatMap((container) => items(container, 'ports'));
  const known = port === '' ? ports[0] : ports.find((each) => text(each, 'name') === port);
  return { ip: text(maybe(pod, 'status'), 'podIP'), port: number(known, 'containerPort') ?? Number(port || 80) };
}

function serviceTarget(asked: SpecialCall): Target {
  const { name, port } = nameAndPort(asked.call.name);
  const service = read(asked, 'services', name);
  const ports = items(maybe(service, 'spec'), 'ports');
  const only = ports.length === 1 ? ports[0] : undefined;
  const named = ports.find((each) => text(each, 'name') === port || String(number(each, 'port')) === port);
  const wanted = port === '' ? only : named;
  if (!wanted) throw unavailable(`no service port ${JSON.stringify(port)} found for service ${JSON.stringify(name)}`);
  const subsets = items(endpointsOf(asked, name), 'subsets').flatMap((subset) => {
    const found = items(subset, 'ports').find((each) => text(each, 'name') === text(wanted, 'name'));
    return found
      ? items(subset, 'addresses').map((address) => ({ ip: text(address, 'ip'), port: number(found, 'port') ?? 0 }))
      : [];
  });
  const chosen = subsets.length === 0 ? undefined : subsets[randomInt(subsets.length)];
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(asked.call.name)}`);
  return chosen;
}

function endpointsOf({ context, call }: SpecialCall, name: string): JsonObject | undefined {
  const type = context.types.preferred('', 'endpoints');
  return type && context.store.get(keyFor(type, call.namespace, name))?.object;
}

function unavailable(message: string): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message, {});
}

async function forward(
  { request, response, call }: SpecialCall,
  { ip, port }: Target,
  dial: PodDialer,
): Promise<SpecialResponse> {
  const dialled = dial(ip, port);
  if (dialled === undefined)
    throw unavailable(`error trying to reach service: pod ${ip} is simulated, so nothing answers at port ${port}`);
  const answer = await dialled
    .then((socket) => sendRequest(request, { host: ip, port, path: pathOf(request, call.name) }, socket))
    .catch((error: unknown) => {
      const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      const why = refused ? 'connect: connection refused' : (error as Error).message;
      throw unavailable(`error trying to reach service: dial tcp ${ip}:${port}: ${why}`);
    });
  await relay(answer, response);
  return { code: answer.statusCode ?? 200, sent: true };
}

/** What stands behind `/proxy`, with its query. */
function pathOf({ url = '' }: IncomingMessage, name: string): string {
  const encoded =
    [name, encodeURIComponent(name)].map((each) => `/${each}/proxy`).find((each) => url.includes(each)) ?? '/proxy';
  const rest = url.slice(url.indexOf(encoded) + encoded.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function sendRequest(
  request: IncomingMessage,
  target: { host: string; port: number; path: string },
  socket: Socket,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = send(
      {
        ...target,
        method: request.method,
        headers: headersOf(request.headers),
        timeout: PROXY_TIMEOUT,
        // Only without an agent it is this connection that is used.
        createConnection: () => socket,
      },
      resolve,
    );
    asked.on('timeout', () => asked.destroy(new Error('i/o timeout')));
    asked.on('error', reject);
    request.pipe(asked);
  });
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && !OWN_HEADERS.has(name)) kept[name] = value;
  }
  return kept;
}

function relay(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 200, headersOf(answer.headers));
  return new Promise((resolve) => {
    response.on('close', () => {
      answer.destroy();
      resolve();
    });
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
}
