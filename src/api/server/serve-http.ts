import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApplicationService } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import { handleUpgrades, type Upgrade } from '../../net/web-socket/index.js';
import type { Access } from '../access/index.js';
import { dispatch, pathOf } from './dispatch.js';
import {
  ApiError,
  apiErrorOf,
  type Answer,
  hostOfUrl,
  isOurHost,
  SECURITY_HEADERS,
  setSecurityHeaders,
  sendAnswer,
  answerUpgrade,
  type WebFiles,
} from '../http/index.js';
import type { Router } from '../route/index.js';

export interface ServerOptions {
  readonly service: ApplicationService;
  readonly access: Access;
  readonly router: Router;
  readonly files: WebFiles;
  readonly host: string;
  readonly port: number;
  /** Names of this server besides loopback and what the settings say. */
  readonly hosts: readonly string[];
  readonly timeouts?: HttpTimeouts | undefined;
  readonly log: (line: string) => void;
}

/** Milliseconds that a client has for its headers and for its whole request, and between two looks at the clock. */
export interface HttpTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly checkInterval: number;
}

export interface RunningHttp {
  readonly url: string;
  close(): Promise<void>;
}

/** Probes of a cluster name a pod by its address. */
const PROBE_PATHS = ['/healthz', '/readyz', '/metrics'];
const DEFAULT_TIMEOUTS: HttpTimeouts = { headers: 15_000, request: 60_000, checkInterval: 5000 };

const CLIENT_ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the address and headers are longer than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come in time'],
};

/** Serves until it is closed. Whatever a request says, it ends as an answer with a sentence. */
export async function serveHttp(options: ServerOptions): Promise<RunningHttp> {
  const closing = new AbortController();
  // Every request that is under way listens for it.
  setMaxListeners(0, closing.signal);
  const take = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    void answer(request, response, options, closing.signal, upgrade);
  };
  // What Node would refuse by itself is refused here, with the headers that every answer has.
  const {
    headers: headersTimeout,
    request: requestTimeout,
    checkInterval: connectionsCheckingInterval,
  } = options.timeouts ?? DEFAULT_TIMEOUTS;
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval, requireHostHeader: false },
    take,
  ).on('checkExpectation', take);
  const upgrades = handleUpgrades(server, take, { ignoresOtherProtocols: true });
  // A header that is no HTTP is told as everything else is.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const [status, says] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request'];
    const body = JSON.stringify(new ApiError('InvalidArgument', says).body);
    const headers = {
      connection: 'close',
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...SECURITY_HEADERS,
    };
    socket.end(
      `HTTP/1.1 ${status}\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n${body}`,
    );
  });
  await listen(server, options);
  const { port, address } = server.address() as AddressInfo;
  const shown =
    address === '127.0.0.1' || address === '::' || address === '0.0.0.0'
      ? 'localhost'
      : address.includes(':')
        ? `[${address}]`
        : address;
  return {
    url: `http://${shown}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        closing.abort();
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
          upgrades.close();
        }, 250).unref();
      }),
  };
}

function listen(server: Server, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new Fault('PORT_BUSY', `port ${port} is used by another program`, { where: '--port' }));
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EACCES')
        reject(new Fault('VALUE_INVALID', `cannot listen on ${host}:${port}: ${error.message}`, { where: '--host' }));
      else reject(error);
    });
    server.listen(port, host, () => {
      resolve();
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
  closing: AbortSignal,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const id = randomUUID();
  response.setHeader('x-request-id', id);
  const gone = new AbortController();
  const abort = (): void => {
    gone.abort();
  };
  response.once('close', abort);
  closing.addEventListener('abort', abort, { once: true });
  request.on('error', abort);
  response.on('error', abort);
  try {
    const given = await handle(request, response, options, gone.signal, upgrade !== undefined);
    if (response.destroyed) return;
    if (given.kind === 'socket' && upgrade !== undefined) await answerUpgrade(given, upgrade, gone);
    else await sendAnswer(given, request, response, gone.signal);
  } catch (error) {
    sendError(error, id, request, response, options);
  } finally {
    closing.removeEventListener('abort', abort);
  }
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
  signal: AbortSignal,
  isUpgrade: boolean,
): Promise<Answer> | Answer {
  const { service, access, router, files, log: _ } = options;
  const path = pathOf(request);
  setSecurityHeaders(response, false);
  if (!PROBE_PATHS.includes(path) && !isOurHost(request.headers.host, knownHosts(options))) {
    throw new ApiError(
      'PermissionDenied',
      'this server is not known by that name: set url in argocd-cm, or start with --allow-host',
      { status: 421 },
    );
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const match = router.find(method, path);
  if (match !== undefined) {
    const query = new URLSearchParams((request.url ?? '').slice(path.length + 1));
    return dispatch(
      match,
      {
        request,
        query,
        signal,
        isUpgrade,
        remoteAddress: request.socket.remoteAddress ?? '',
        origin: `http://${request.headers.host ?? ''}`,
      },
      service,
      access,
    );
  }
  const file =
    method === 'GET' && !path.startsWith('/api/') ? files.find(path, request.headers['if-none-match']) : undefined;
  if (file === undefined) throw new ApiError('NotFound', 'Not Found');
  setSecurityHeaders(response, true);
  return file;
}

function knownHosts({ service, host, hosts }: ServerOptions): string[] {
  const url = hostOfUrl(service.settings.url);
  return [...hosts, host, ...(url === undefined ? [] : [url])];
}

/** A defect is told to the log with the id of the request; the client gets the id and nothing of the inside. */
function sendError(
  error: unknown,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  { log }: ServerOptions,
): void {
  const known = apiErrorOf(error);
  if (known === undefined)
    log(
      `request ${id} ${request.method ?? ''} ${pathOf(request)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  const told = known ?? new ApiError('Internal', `this is a defect of Argosy; its log tells more about request ${id}`);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(told.body));
  response.statusCode = told.status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', bytes.length);
  // What was not read of a request would be taken for the next one.
  if (!request.complete) response.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(told.headers)) response.setHeader(name, value);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
