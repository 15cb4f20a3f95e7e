import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError } from '../transport/cluster-error.js';
import {
  startScriptedServer,
  type ScriptedResponse,
  type ScriptedServer,
  type RecordedRequest,
} from '../testing/scripted-server.js';
import { CONFIG_MAPS } from '../../model/resources/index.js';

const MAP: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } };
const ID = { namespace: 'shop', name: 'a' };
const rejection = (
  code: number,
  reason: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse => ({
  status: code,
  headers,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason} it is`, ...more },
});

let server: ScriptedServer;
afterEach(() => server.close());

async function serve(...answers: readonly ScriptedResponse[]): Promise<ScriptedServer> {
  server = await startScriptedServer((_, index) => answers[Math.min(index, answers.length - 1)] ?? 'hang');
  return server;
}

async function fault(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw new Error(`expected a fault, got ${String(error)}`);
  return error;
}

describe('requests', () => {
  it('honours Retry-After, also for a create', async () => {
    const { clock, connect, requests } = await serve(rejection(429, 'TooManyRequests', {}, { 'retry-after': '7' }), {
      status: 201,
      body: MAP,
    });
    const created = connect().create(CONFIG_MAPS, MAP);
    await clock.ring(7000);
    expect(await created).toEqual(MAP);
    expect(requests).toHaveLength(2);
  });

  it('retries a read that failed on the server, but not a create', async () => {
    const { clock, connect, requests } = await serve(
      rejection(500, 'InternalError'),
      { body: MAP },
      rejection(500, 'InternalError'),
    );
    const read = connect().get(CONFIG_MAPS, ID);
    await clock.ring(1, 200);
    expect(await read).toEqual(MAP);
    expect((await fault(connect().create(CONFIG_MAPS, MAP))).message).toBe('InternalError it is');
    expect(requests).toHaveLength(3);
  });

  it('retries cut requests where that is safe', async () => {
    const { clock, connect, requests } = await serve('cut', { body: MAP }, 'cut', { body: MAP }, 'cut');
    const cluster = connect();
    const applied = cluster.apply(CONFIG_MAPS, MAP);
    await clock.ring(1, 200);
    expect(await applied).toEqual(MAP);
    const removed = cluster.remove(CONFIG_MAPS, ID, { uid: 'u' });
    await clock.ring(1, 200);
    expect(await removed).toBe('deleting');
    const lost = await fault(cluster.create(CONFIG_MAPS, MAP));
    expect(lost.code).toBe('CLUSTER_UNREACHABLE');
    expect(requests.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'DELETE', 'DELETE', 'POST']);
  });

  it('times out a request without a complete response', async () => {
    const { clock, connect, requests } = await serve('hang');
    const read = fault(connect().get(CONFIG_MAPS, ID, { limits: { tries: 2 } }));
    await clock.until(() => requests.length === 1);
    await clock.ring(30_000);
    await clock.ring(1, 200);
    await clock.until(() => requests.length === 2);
    await clock.ring(30_000);
    expect((await read).message).toBe('no complete response within 30 s');
  });

  it('recognizes a page of HTML', async () => {
    const { connect } = await serve({ body: '<html>log in</html>' });
    const { message, code } = await fault(connect().get(CONFIG_MAPS, ID, { limits: { tries: 1 } }));
    expect({ message, code }).toEqual({
      code: 'CLUSTER_UNREACHABLE',
      message: 'the answer is no Kubernetes object (text/html): is a proxy or a login page in between?',
    });
  });

  it('reads no more than the limit', async () => {
    const { connect } = await serve({ body: { ...MAP, data: { a: 'x'.repeat(5000) } } });
    expect((await fault(connect().get(CONFIG_MAPS, ID, { limits: { size: 4000 } }))).message).toBe(
      'the answer is larger than 4000 bytes',
    );
  });

  it('gives the causes of an error', async () => {
    const causes = [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.x' }];
    const { connect } = await serve(rejection(422, 'Invalid', { details: { causes } }));
    const error = await fault(connect().apply(CONFIG_MAPS, MAP));
    expect(error).toBeInstanceOf(ClusterError);
    expect(error).toMatchObject({
      code: 'CLUSTER_REFUSED',
      status: 422,
      reason: 'Invalid',
      message: 'Invalid it is',
      causes,
      retry: false,
    });
  });

  it('gives nothing for an object that is missing, and a fault where nothing is served', async () => {
    const { connect } = await serve(rejection(404, 'NotFound'), { status: 404, body: '404 page not found' });
    expect(await connect().get(CONFIG_MAPS, ID)).toBeUndefined();
    expect((await fault(connect().get(CONFIG_MAPS, ID))).message).toBe('the server answered 404: 404 page not found');
  });

  it('limits the requests in flight', async () => {
    const { clock, connect, requests } = await serve('hang');
    const cluster = connect({}, { inFlight: 3 });
    const reads = Array.from({ length: 5 }, () => fault(cluster.get(CONFIG_MAPS, ID, { limits: { tries: 1 } })));
    await clock.until(() => requests.length === 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(3);
    await clock.ring(30_000);
    await clock.until(() => requests.length === 5);
    await clock.ring(30_000);
    await Promise.all(reads);
  });

  it('reports warnings of the server', async () => {
    const { connect, reports } = await serve({
      body: MAP,
      headers: { warning: '299 - "this is \\"old\\"", 299 - "and that"' },
    });
    await connect().get(CONFIG_MAPS, ID);
    expect(reports.map((line) => line.replace(/127.0.0.1:\d+/, 'HOST'))).toEqual([
      'warning of HOST: this is "old"',
      'warning of HOST: and that',
    ]);
  });
});

describe('a proxy', () => {
  it('carries every request through a tunnel', async () => {
    const { connect, requests } = await serve({ body: MAP });
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
      tunnels.push(request.url ?? '');
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const target = connectTcp(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      for (const end of [client, target]) end.on('error', () => client.destroy());
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    const cluster = connect({ proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    expect(await cluster.get(CONFIG_MAPS, ID)).toEqual(MAP);
    expect(tunnels).toEqual([requests[0]?.headers.host]);
    await cluster.close();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('writes', () => {
  it('carry what makes them safe', async () => {
    const { connect, requests } = await serve({ body: MAP });
    const cluster = connect({ server: '/k8s/clusters/c-1' });
    await cluster.apply(CONFIG_MAPS, MAP, { force: true, dryRun: true, uid: 'u-1' });
    await cluster.remove(CONFIG_MAPS, ID, { uid: 'u-1', resourceVersion: '5', propagation: 'Foreground' });
    await cluster.patch(
      CONFIG_MAPS,
      ID,
      { type: 'json', body: [{ op: 'test', path: '/x', value: 1 }] },
      { subresource: 'status' },
    );
    const [apply, remove, patch] = requests as [RecordedRequest, RecordedRequest, RecordedRequest];
    expect(apply.path).toBe(
      '/k8s/clusters/c-1/api/v1/namespaces/shop/configmaps/a?fieldManager=argosy&dryRun=All&force=true',
    );
    expect(apply.headers).toMatchObject({
      'content-type': 'application/apply-patch+yaml',
      'user-agent': 'argosy/1.2.3',
    });
    expect(JSON.parse(apply.body)).toMatchObject({ metadata: { uid: 'u-1' } });
    expect(JSON.parse(remove.body)).toMatchObject({
      kind: 'DeleteOptions',
      preconditions: { uid: 'u-1', resourceVersion: '5' },
      propagationPolicy: 'Foreground',
    });
    expect(patch.path).toContain('/configmaps/a/status?');
    expect(patch.headers['content-type']).toBe('application/json-patch+json');
  });

  it('reject an update without resourceVersion', async () => {
    const { connect, requests } = await serve({ body: MAP });
    expect((await fault(connect().update(CONFIG_MAPS, MAP))).code).toBe('VALUE_INVALID');
    expect(requests).toHaveLength(0);
  });

  it('are rejected by a read-only connection, except dry runs', async () => {
    const { connect, requests } = await serve({ body: MAP });
    const cluster = connect({}, { readOnly: true });
    for (const write of [
      cluster.create(CONFIG_MAPS, MAP),
      cluster.apply(CONFIG_MAPS, MAP),
      cluster.remove(CONFIG_MAPS, ID, { uid: 'u' }),
      cluster.patch(CONFIG_MAPS, ID, { type: 'merge', body: {} }),
    ]) {
      expect((await fault(write)).message).toMatch(/read-only/);
    }
    expect(await cluster.apply(CONFIG_MAPS, MAP, { dryRun: true })).toEqual(MAP);
    expect(requests).toHaveLength(1);
  });

  it('never let a name leave its path', async () => {
    const { connect, requests } = await serve({ body: MAP });
    await connect().get(CONFIG_MAPS, { namespace: 'a/b', name: '../../secrets?x#y' });
    expect(requests[0]?.path).toBe('/api/v1/namespaces/a%2Fb/configmaps/..%2F..%2Fsecrets%3Fx%23y');
    await expect(connect().get(CONFIG_MAPS, { namespace: 'a', name: '..' })).rejects.toThrow('is no name');
  });
});

describe('credentials', () => {
  it('are read again when the server rejects them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-token-'));
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'old\n');
    server = await startScriptedServer(({ headers }) =>
      headers.authorization === 'Bearer new' || (headers.authorization === 'Bearer old' && server.requests.length === 1)
        ? { body: MAP }
        : rejection(401, 'Unauthorized'),
    );
    const cluster = server.connect({ user: { tokenFile } });
    await cluster.get(CONFIG_MAPS, ID);
    writeFileSync(tokenFile, 'new\n');
    expect(await cluster.get(CONFIG_MAPS, ID)).toEqual(MAP);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ]);
    server.clock.advance(60_001);
    writeFileSync(tokenFile, 'newer\n');
    await fault(cluster.get(CONFIG_MAPS, ID));
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer newer');
    rmSync(folder, { recursive: true });
  });

  it('of a plugin are cached until they expire, and the plugin gets no shell and no terminal', async () => {
    const { clock, connect, requests } = await serve({ body: MAP });
    const script = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [process.env.WHO, process.argv[1], spec.interactive, spec.cluster.config.audience].join();
      const status = { token, expirationTimestamp: '2026-01-01T00:10:00Z' };
      const apiVersion = 'client.authentication.k8s.io/v1';
      console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script, '--', '$HOME;`id`'],
      env: [{ name: 'WHO', value: 'me' }],
      installHint: '',
      provideClusterInfo: true,
      extension: { audience: 'dev' },
    } as const;
    const cluster = connect({ user: { exec } });
    await Promise.all([cluster.get(CONFIG_MAPS, ID), cluster.get(CONFIG_MAPS, ID)]);
    clock.advance(9 * 60_000);
    await cluster.get(CONFIG_MAPS, ID);
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer me,$HOME;`id`,false,dev']),
    );
  });

  it('of a plugin are renewed once they expire or are rejected, but not repeatedly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-exec-'));
    const runs = join(folder, 'runs');
    const script = `
      require('node:fs').appendFileSync(process.argv[1], 'x');
      const status = { token: 't', expirationTimestamp: '2026-01-01T00:10:00Z' };
      const apiVersion = 'client.authentication.k8s.io/v1';
      console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script, '--', runs],
      env: [],
      installHint: '',
      provideClusterInfo: false,
      extension: undefined,
    } as const;
    const { clock, connect } = await serve({ body: MAP }, rejection(401, 'Unauthorized'));
    const cluster = connect({ user: { exec } });
    const count = (): number => readFileSync(runs, 'utf8').length;
    await cluster.get(CONFIG_MAPS, ID);
    await fault(cluster.get(CONFIG_MAPS, ID));
    expect(count()).toBe(1);
    clock.advance(6000);
    await fault(cluster.get(CONFIG_MAPS, ID));
    await fault(cluster.get(CONFIG_MAPS, ID));
    expect(count()).toBe(2);
    clock.advance(10 * 60_000);
    await fault(cluster.get(CONFIG_MAPS, ID));
    expect(count()).toBe(3);
    rmSync(folder, { recursive: true });
  });

  it('of a failing plugin name the plugin and its stderr, never its stdout', async () => {
    const { connect } = await serve({ body: MAP });
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      env: [],
      installHint: 'Install it.',
      provideClusterInfo: false,
      extension: undefined,
    } as const;
    const missing = connect({ user: { exec: { ...plugin, command: '/nowhere/login', args: [] } } });
    expect((await fault(missing.get(CONFIG_MAPS, ID))).message).toBe(
      'no credentials: the program is not installed Install it.',
    );
    const broken = connect({
      user: {
        exec: {
          ...plugin,
          command: process.execPath,
          args: ['-e', 'console.log("canary"); console.error("no session"); process.exit(3)'],
        },
      },
    });
    expect((await fault(broken.get(CONFIG_MAPS, ID))).message).toBe('no credentials: it failed (3): no session');
    const chatty = connect({
      user: { exec: { ...plugin, command: process.execPath, args: ['-e', 'console.log("canary")'] } },
    });
    expect((await fault(chatty.get(CONFIG_MAPS, ID))).message).toBe('it printed something that is no JSON');
  });

  it('of an impersonated user are sent with every request', async () => {
    const { connect, requests } = await serve({ body: MAP });
    await connect({
      user: { basic: { username: 'anna', password: 'p' } },
      impersonate: { user: 'jane', groups: ['a', 'b'], extra: [['reason', ['x']]] },
    }).get(CONFIG_MAPS, ID);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Basic YW5uYTpw',
      'impersonate-user': 'jane',
      'impersonate-group': 'a, b',
      'impersonate-extra-reason': 'x',
    });
  });

  it('of another user are sent by a client that acts for it, and by that one alone', async () => {
    const { connect, requests } = await serve({ body: MAP });
    const own = connect({
      user: { token: 'mine' },
      impersonate: { user: 'jane', groups: ['a'], extra: [] },
    });
    const other = own.as({ user: 'system:serviceaccount:shop:deployer', groups: [], extra: [] });
    await other.get(CONFIG_MAPS, ID);
    await other.close();
    await own.get(CONFIG_MAPS, ID);
    expect(
      requests.map(({ headers }) => [headers.authorization, headers['impersonate-user'], headers['impersonate-group']]),
    ).toEqual([
      ['Bearer mine', 'system:serviceaccount:shop:deployer', undefined],
      ['Bearer mine', 'jane', 'a'],
    ]);
  });
});

describe('discovery', () => {
  it('reads the aggregated form and names the group whose server does not answer', async () => {
    const group = (name: string, versions: object[]): object => ({ metadata: name === '' ? {} : { name }, versions });
    const resource = {
      resource: 'widgets',
      responseKind: { group: 'a.test', version: 'v2', kind: 'Widget' },
      scope: 'Namespaced',
      singularResource: 'widget',
      verbs: ['get', 'list', 'watch'],
      shortNames: ['w'],
      subresources: [{ subresource: 'status' }],
    };
    server = await startScriptedServer(({ path }) => ({
      body: {
        kind: 'APIGroupDiscoveryList',
        items:
          path === '/api'
            ? []
            : [
                group('a.test', [
                  { version: 'v2', resources: [resource] },
                  { version: 'v1', resources: [resource, { ...resource, resource: 'gadgets' }] },
                ]),
                group('metrics.k8s.io', [{ version: 'v1beta1', freshness: 'Stale' }]),
              ],
      },
    }));
    const { kinds, failed } = await server.connect().discover();
    expect(
      kinds.map(({ version, plural, preferred, subresources }) => ({ version, plural, preferred, subresources })),
    ).toEqual([
      { version: 'v2', plural: 'widgets', preferred: true, subresources: ['status'] },
      { version: 'v1', plural: 'widgets', preferred: false, subresources: ['status'] },
      // The newer version does not have it.
      { version: 'v1', plural: 'gadgets', preferred: true, subresources: ['status'] },
    ]);
    expect(failed).toEqual([
      { groupVersion: 'metrics.k8s.io/v1beta1', message: 'the server behind this API group does not answer' },
    ]);
  });

  it('falls back to group by group, and one failing group loses no other', async () => {
    const bodies: Readonly<Record<string, ScriptedResponse>> = {
      '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
      '/api/v1': {
        body: {
          kind: 'APIResourceList',
          resources: [
            { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'] },
            { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
          ],
        },
      },
      '/apis': {
        body: {
          kind: 'APIGroupList',
          groups: [
            {
              name: 'm.test',
              preferredVersion: { groupVersion: 'm.test/v1' },
              versions: [{ groupVersion: 'm.test/v1' }],
            },
          ],
        },
      },
      '/apis/m.test/v1': rejection(503, 'ServiceUnavailable', {}, { 'retry-after': '100' }),
    };
    server = await startScriptedServer(({ path }) => bodies[path] ?? 'hang');
    const { kinds, failed } = await server.connect().discover();
    expect(kinds).toMatchObject([
      { kind: 'Pod', plural: 'pods', subresources: ['log'], preferred: true, namespaced: true },
    ]);
    expect(failed).toEqual([{ groupVersion: 'm.test/v1', message: 'ServiceUnavailable it is' }]);
  });
});
