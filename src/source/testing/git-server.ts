import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from './test-sources.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestServer {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Every request that came: method, address and headers in one line each. */
  readonly requests: string[];
}

/** A server on loopback that goes with the test. */
export async function openServer(cleanup: Cleanup, handler: Handler, tls?: ServerOptions): Promise<TestServer> {
  const requests: string[] = [];
  const listener: Handler = (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`);
    handler(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanup.add(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, requests };
}

/** The real `git http-backend` over the repositories below a folder. */
export function gitHandler(root: string): Handler {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://server');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        REMOTE_ADDR: '127.0.0.1',
        REMOTE_USER: 'reader',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    let head = Buffer.alloc(0);
    let isBody = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (isBody) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      isBody = true;
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
    });
    child.on('close', () => {
      response.end();
    });
  };
}

/** Lets only those in who say the word; the others are asked for it. */
export function withAuthorization(expected: string, handler: Handler): Handler {
  return (request, response) => {
    if (request.headers.authorization === expected) handler(request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end('no');
  };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Arguments and environments of all other processes on this machine that hold a text. */
export function processesWith(text: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    for (const file of ['cmdline', 'environ']) {
      try {
        if (readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text)) found.push(`${pid}/${file}`);
      } catch {
        // It ended, or belongs to someone else.
      }
    }
  }
  return found;
}
