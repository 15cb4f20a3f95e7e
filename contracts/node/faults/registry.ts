import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry on an address of the test's own whose repositories have nothing, each refused in the way of its name. */
export interface SickRegistry {
  /** `ADDRESS:PORT`, as images name it. */
  readonly host: string;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const unauthorized = { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required', detail: null }] };
const unknown = { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown', detail: null }] };

/** By the first part of the repository. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  private: (_, response) => {
    response.setHeader('www-authenticate', 'Basic realm="registry"');
    send(response, 401, unauthorized);
  },
  token: ({ headers }, response) => {
    const realm = `http://${headers.host ?? ''}/token`;
    response.setHeader('www-authenticate', `Bearer realm="${realm}",service="registry",scope="repository:app:pull"`);
    send(response, 401, unauthorized);
  },
  denied: (_, response) => {
    send(response, 403, { errors: [{ code: 'DENIED', message: 'denied' }] });
  },
  limited: (_, response) => {
    send(response, 429, { errors: [{ code: 'TOOMANYREQUESTS', message: 'pull rate limit' }] });
  },
  sick: (_, response) => {
    send(response, 500, { errors: [{ code: 'UNKNOWN', message: 'unknown error' }] });
  },
  away: (_, response) => {
    send(response, 503, { errors: [{ code: 'UNAVAILABLE', message: 'service unavailable' }] });
  },
  // Takes the request and never answers.
  silent: () => undefined,
};

export async function startSickRegistry(address: string): Promise<SickRegistry> {
  const server = createServer((request, response) => {
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    const path = request.url ?? '';
    if (path.startsWith('/token')) return send(response, 401, unauthorized);
    const [, first = ''] = /^\/v2\/([^/]+)\//.exec(path) ?? [];
    const answer = Object.hasOwn(ANSWERS, first) ? ANSWERS[first] : undefined;
    if (answer !== undefined) return answer(request, response);
    return send(response, path === '/v2/' ? 200 : 404, path === '/v2/' ? {} : unknown);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return { host: `${address}:${port}`, close: () => closed(server) };
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
