import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../model/faults/index.js';
import { handleUpgrades, type Upgrade } from '../../net/web-socket/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { TrustedProxies } from '../../model/formats/index.js';
import { dispatch, pathOf, type DispatchContext } from './dispatch.js';
import { limitHalfOpen } from './half-open.js';
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
import { Router } from '../route/index.js';
import { createTlsServer, type TlsOptions } from '../tls/index.js';
import { RequestAudit } from './request-audit.js';

export interface ServerOptions extends DispatchContext {
  readonly files: WebFiles;
  readonly host: string;
  readonly port: number;
  /** Names of this server besides loopback and what the settings say. */
  readonly hosts: readonly string[];
  /** Absent for plain HTTP. */
  readonly tls?: TlsOptions;
  readonly timeouts?: HttpTimeouts | undefined;
  /** Whose `X-Forwarded-For` says who the client is. */
  readonly trustedProxies?: TrustedProxies;
  readonly log: Logger;
}

/** Milliseconds for the headers of a request, for all of it, and between two checks of open connections. */
export interface HttpTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly checkInterval: number;
}

export interface RunningHttp {
  readonly url: string;
  close(): Promise<void>;
}

interface RoutedOptions extends ServerOptions {
  readonly router: Router;
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
  const options: RoutedOptions = { ...serverOptions, router: new Router(serverOptions.state.routes) };
  const closing = new AbortController();
  // Every open request listens for it.
  setMaxListeners(0, closing.signal);
  const take = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade): void => {
    void answer(request, response, options, closing.signal, upgrade);
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
  limitHalfOpen(server, { isExempt: (address) => serverOptions.trustedProxies?.trusts(address) === true });
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
        setTimeout(() => {
          server.closeAllConnections();
          upgrades.close();
        }, 250).unref();
      }),
  };
}

function schemeOf({ tls }: ServerOptions): 'http' | 'https' {
  return tls === undefined ? 'http' : 'https';
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
  const audit = new RequestAudit(options.services.audit, request, { id, address: clientAddress(request, options) });
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
  const path = pathOf(request);
  setSecurityHeaders(response, false);
  if (!PROBE_PATHS.includes(path) && !isOurHost(request.headers.host, knownHosts(options))) {
    throw new ApiError('PermissionDenied', 'unknown host name: set url in argocd-cm, or start with --allow-host', {
      status: 421,
    });
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const match = router.find(method, path);
  if (match !== undefined) {
    audit.matched(match);
    const query = new URLSearchParams((request.url ?? '').slice(path.length + 1));
    return dispatch(
      match,
      {
        request,
        query,
        signal,
        isUpgrade,
        audit,
        remoteAddress: clientAddress(request, options),
        origin: `${schemeOf(options)}://${request.headers.host ?? ''}`,
      },
      options,
    );
  }
  const file =
    method === 'GET' && !path.startsWith('/api/') ? files.find(path, request.headers['if-none-match']) : undefined;
  if (file === undefined) throw new ApiError('NotFound', 'Not Found');
  setSecurityHeaders(response, true);
  return file;
}

/** Of the client, as far as it is known: budgets and the audit log count by it. */
function clientAddress({ socket, headers }: IncomingMessage, { trustedProxies }: ServerOptions): string {
  const { remoteAddress = '' } = socket;
  return trustedProxies?.clientOf(remoteAddress, headers['x-forwarded-for']) ?? remoteAddress;
}

function knownHosts({ services, host, hosts }: ServerOptions): string[] {
  const url = hostOfUrl(services.settings.current.url);
  return [...hosts, host, ...(url === undefined ? [] : [url])];
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
