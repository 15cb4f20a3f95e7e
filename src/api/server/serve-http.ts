import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../model/faults/index.js';
import { handleUpgrades, type Upgrade } from '../../net/web-socket/index.js';
import { answerCall } from './answer-call.js';
import { dispatch, pathOf, readRest } from './dispatch.js';
import { limitHalfOpen } from './half-open.js';
import { acceptHttp2 } from './http2.js';
import {
  clientAddress,
  mustBeOurHost,
  schemeOf,
  type HttpTimeouts,
  type RoutedOptions,
  type ServerOptions,
} from './options.js';
import {
  ApiError,
  ArgoCdPage,
  apiErrorOf,
  type Answer,
  SECURITY_HEADERS,
  setSecurityHeaders,
  sendAnswer,
  answerUpgrade,
} from '../http/index.js';
import { Router } from '../route/index.js';
import { isWebCall, nativeCall, RpcMethods, webCall } from '../rpc/index.js';
import { createTlsServer } from '../tls/index.js';
import { RequestAudit } from './request-audit.js';

export interface RunningHttp {
  readonly url: string;
  close(): Promise<void>;
}

/** The kubelet probes a pod by its address. */
const PROBE_PATHS = ['/healthz', '/readyz', '/metrics'];
const DEFAULT_TIMEOUTS: HttpTimeouts = { headers: 15_000, request: 60_000, checkInterval: 5000 };

const CLIENT_ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the URL and headers exceed 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

/** Serves until it is closed. Every request gets an answer; errors are JSON with a message. */
export async function serveHttp(serverOptions: ServerOptions): Promise<RunningHttp> {
  const { routes } = serverOptions.state;
  const options: RoutedOptions = { ...serverOptions, router: new Router(routes), methods: new RpcMethods(routes) };
  const closing = new AbortController();
  // Every open request listens for it.
  setMaxListeners(0, closing.signal);
  const take = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    if (upgrade === undefined && isWebCall(request)) {
      const remoteAddress = clientAddress(request.socket, request.headers, options);
      void answerCall(webCall(request, response, { path: pathOf(request), remoteAddress }), options, closing.signal);
    } else void answer(request, response, options, closing.signal, upgrade);
  };
  // Requests that Node would reject by itself are answered here, with the headers of every answer.
  const {
    headers: headersTimeout,
    request: requestTimeout,
    checkInterval: connectionsCheckingInterval,
  } = options.timeouts ?? DEFAULT_TIMEOUTS;
  const limits = { headersTimeout, requestTimeout, connectionsCheckingInterval, requireHostHeader: false };
  const { tls } = serverOptions;
  const server = tls === undefined ? createServer(limits, take) : createTlsServer(tls, limits, take);
  server.on('checkExpectation', take);
  const upgrades = handleUpgrades(server, take, { ignoresOtherProtocols: true });
  const calls = acceptHttp2(server, {
    timeout: headersTimeout,
    isTls: tls !== undefined,
    take: ({ stream, path, headers, socket }) => {
      arrived(socket);
      const remoteAddress = clientAddress(socket, headers, options);
      void answerCall(nativeCall(stream, headers, { path, remoteAddress }), options, closing.signal);
    },
  });
  const arrived = limitHalfOpen(server, {
    isExempt: (address) => serverOptions.trustedProxies?.trusts(address) === true,
  });
  server.on('clientError', rejectConnection);
  await listen(server, options);
  const { port, address } = server.address() as AddressInfo;
  return {
    url: `${schemeOf(options)}://${hostText(address)}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        closing.abort();
        server.closeIdleConnections();
        calls.close();
        setTimeout(() => {
          server.closeAllConnections();
          upgrades.close();
        }, 250).unref();
      }),
  };
}

function hostText(address: string): string {
  if (address === '127.0.0.1' || address === '::' || address === '0.0.0.0') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

/** Answers bytes that are no HTTP request in the same form as every other error. */
function rejectConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'not an HTTP request'];
  const body = JSON.stringify(new ApiError('InvalidArgument', message).body);
  const headers = {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...SECURITY_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

function listen(server: Server | SecureServer, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new Fault('PORT_BUSY', `port ${port} is already in use`, { where: '--port' }));
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
  options: RoutedOptions,
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
  const audit = new RequestAudit(options.services.audit, request, {
    id,
    address: clientAddress(request.socket, request.headers, options),
  });
  try {
    const given = await handle(request, response, {
      options,
      signal: gone.signal,
      isUpgrade: upgrade !== undefined,
      audit,
    });
    await audit.answered(given);
    if (response.destroyed) return;
    if (given.kind === 'socket' && upgrade !== undefined) await answerUpgrade(given, upgrade, gone);
    else await sendAnswer(given, request, response, gone.signal);
  } catch (error) {
    await audit.failed(error);
    sendError(error, id, request, response, options);
  } finally {
    closing.removeEventListener('abort', abort);
  }
}

interface HandleOptions {
  readonly options: RoutedOptions;
  readonly signal: AbortSignal;
  readonly isUpgrade: boolean;
  readonly audit: RequestAudit;
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { options, signal, isUpgrade, audit }: HandleOptions,
): Promise<Answer> | Answer {
  const { router, files } = options;
  const whole = pathOf(request);
  const path = (options.argoCdPage === undefined ? undefined : ArgoCdPage.pathBelow(whole)) ?? whole;
  setSecurityHeaders(response, 'data');
  if (!PROBE_PATHS.includes(path)) mustBeOurHost(request.headers.host, options);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const match = router.find(method, path);
  if (match !== undefined) {
    audit.matched(match);
    const query = new URLSearchParams((request.url ?? '').slice(whole.length + 1));
    const { headers, socket } = request;
    return dispatch(
      match.route,
      {
        method: request.method ?? '',
        path,
        headers,
        signal,
        isUpgrade,
        audit,
        remoteAddress: clientAddress(socket, headers, options),
        origin: `${schemeOf(options)}://${headers.host ?? ''}`,
        read: readRest(match, request, query),
      },
      options,
    );
  }
  if (method !== 'GET' || path.startsWith('/api/')) throw new ApiError('NotFound', 'Not Found');
  const tag = request.headers['if-none-match'];
  const ofArgoCd = options.argoCdPage?.find(whole, tag);
  const file = ofArgoCd ?? (path === whole ? files.find(path, tag) : undefined);
  if (file === undefined) throw new ApiError('NotFound', 'Not Found');
  setSecurityHeaders(response, ofArgoCd === undefined ? 'page' : 'Argo CD page');
  return file;
}

/** A defect goes to the log with the id of the request; the client gets only the id. */
function sendError(
  error: unknown,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  { log }: ServerOptions,
): void {
  const known = apiErrorOf(error);
  if (known === undefined) log.error(`request ${id} ${request.method ?? ''} ${pathOf(request)}`, { error });
  const sent = known ?? new ApiError('Internal', `internal error: see request ${id} in the server log`);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(sent.body));
  response.statusCode = sent.status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', bytes.length);
  // The unread rest of a body would be parsed as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(sent.headers)) response.setHeader(name, value);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
