import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type ConnectOptions, type Cluster } from '../client/index.js';
import type { ClusterConfig } from '../config/index.js';
import type { ClientDependencies } from '../timing/index.js';
import { ManualClock } from './manual-clock.js';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How one request is answered; `cut` drops the connection, `hang` never answers. */
export type ScriptedResponse =
  | 'cut'
  | 'hang'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: object | string };

export interface ScriptedServer {
  readonly requests: RecordedRequest[];
  readonly clock: ManualClock;
  readonly reports: string[];
  /** A client of this server, on the clock by hand. */
  connect(config?: Partial<ClusterConfig>, options?: Partial<ConnectOptions>): Cluster;
  close(): Promise<void>;
}

/** An HTTP server that answers as a test says, for what no real server does on demand. */
export async function startScriptedServer(
  answer: (request: RecordedRequest, index: number) => ScriptedResponse,
): Promise<ScriptedServer> {
  const seen: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void respond(request, response, seen, answer);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new ManualClock();
  const reports: string[] = [];
  const dependencies: ClientDependencies = { clock, random: () => 0.5, report: (line) => reports.push(line) };
  const clients: Cluster[] = [];
  return {
    requests: seen,
    clock,
    reports,
    connect(config = {}, options = {}) {
      const full: ClusterConfig = {
        context: 'test',
        server: url,
        namespace: 'default',
        skipTlsVerify: false,
        user: {},
        ...config,
      };
      const client = connect({ ...full, server: url + (config.server ?? '') }, dependencies, {
        version: '1.2.3',
        environment: {},
        ...options,
      });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  seen: RecordedRequest[],
  answer: (request: RecordedRequest, index: number) => ScriptedResponse,
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
  const scripted = answer(one, seen.push(one) - 1);
  if (scripted === 'hang') return;
  if (scripted === 'cut') return void request.socket.destroy();
  const isText = typeof scripted.body === 'string';
  response.writeHead(scripted.status ?? 200, {
    'content-type': isText ? 'text/html' : 'application/json',
    ...scripted.headers,
  });
  response.end(isText ? scripted.body : JSON.stringify(scripted.body));
}
