import { createServer, request as plainRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { textAt, objectsAt } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';

/** One request that the API server answered. */
export interface AnsweredRequest {
  readonly verb: string;
  /** Such as `list configmaps in argocd`. */
  readonly text: string;
  readonly status: number;
}

export interface RecordingProxy {
  /** A kubeconfig through which whoever uses it is the account. */
  readonly kubeconfig: string;
  readonly seen: readonly AnsweredRequest[];
  close(): Promise<void>;
}

/** In front of an API server: everything is asked as a service account, with its rights alone, and noted. */
export async function startRecordingProxy(admin: string, account: string, to: string): Promise<RecordingProxy> {
  const config = readOneYaml(readFileSync(admin, 'utf8'), { dialect: 'kubernetes' });
  const [cluster] = objectsAt(config, 'clusters');
  const [user] = objectsAt(config, 'users');
  const pem = (value: typeof cluster, ...path: string[]): Buffer => Buffer.from(textAt(value, ...path), 'base64');
  const server = new URL(textAt(cluster, 'cluster', 'server'));
  const send = server.protocol === 'https:' ? secureRequest : plainRequest;
  const credentials = {
    ca: pem(cluster, 'cluster', 'certificate-authority-data'),
    cert: pem(user, 'user', 'client-certificate-data'),
    key: pem(user, 'user', 'client-key-data'),
  };
  const seen: AnsweredRequest[] = [];
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = request;
    const upstream = send(
      {
        ...credentials,
        host: server.hostname,
        port: server.port,
        method,
        path: url,
        headers: {
          ...headers,
          host: server.host,
          'impersonate-user': account,
          'impersonate-group': [
            'system:serviceaccounts',
            `system:serviceaccounts:${account.split(':')[2] ?? ''}`,
            'system:authenticated',
          ],
        },
      },
      (answer) => {
        seen.push({ ...describe(method, url), status: answer.statusCode ?? 0 });
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.once('error', () => response.destroy());
    response.once('close', () => upstream.destroy());
    request.pipe(upstream);
  };
  const proxy = createServer(forward);
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  writeKubeconfig(to, (proxy.address() as AddressInfo).port);
  return {
    kubeconfig: to,
    seen,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => {
          resolve();
        });
        proxy.closeAllConnections();
      }),
  };
}

function writeKubeconfig(path: string, port: number): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'proxy',
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    clusters: [{ name: 'proxy', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'proxy', user: {} }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

const API = '(?:api/[^/]+|apis/(?<group>[^/]+)/[^/]+)';
const OBJECT = '(?<resource>[^/]+)(?:/(?<name>[^/]+)(?:/(?<sub>[^/]+))?)?';
const REQUEST_PATH = new RegExp(`^/${API}(?:/namespaces/(?<namespace>[^/]+))?/${OBJECT}$`);

/** What the rules of a role call a request. */
function describe(method: string, url: string): Pick<AnsweredRequest, 'verb' | 'text'> {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const match = REQUEST_PATH.exec(pathname);
  const { group = '', namespace = '', resource = '', name, sub } = match?.groups ?? {};
  if (match === null) return { verb: method.toLowerCase(), text: `${method.toLowerCase()} ${pathname}` };
  const listed = searchParams.has('watch') ? 'watch' : 'list';
  const read = name === undefined ? listed : 'get';
  const verb = VERBS[method] ?? read;
  const place = namespace === '' ? '' : ` in ${namespace}`;
  return {
    verb,
    text: `${verb} ${resource}${sub === undefined ? '' : `/${sub}`}${group === '' ? '' : `.${group}`}${place}`,
  };
}
