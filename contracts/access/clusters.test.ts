import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig, type PemSource } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import type { HttpResponse } from '../harness/send-request.js';
import { AccessLab } from './access-lab.js';
import { SECRETS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();

describe.skipIf(missing !== undefined)(`clusters over the API${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let admin = '';
  let limited = '';
  let server = '';
  let config: JsonObject = {};
  const at = (): string => `/api/v1/clusters/${encodeURIComponent(server)}`;
  const send = (method: string, path: string, body?: JsonObject, token = admin): Promise<HttpResponse> =>
    lab.request(path, { method, token, ...(body === undefined ? {} : { body }) });
  const data = async (): Promise<Record<string, string>> => {
    const { items } = await lab.cluster.list(SECRETS, {
      namespace: 'argocd',
      labelSelector: 'argocd.argoproj.io/secret-type=cluster',
    });
    return Object.fromEntries(
      Object.entries((items[0]?.data ?? {}) as Record<string, string>).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString('utf8'),
      ]),
    );
  };
  const known = (name: string): Promise<void> =>
    lab.until(`${name} is known`, async () => (await lab.request(at(), { token: admin })).body.name === name);

  beforeAll(async () => {
    lab = await AccessLab.open();
    limited =
      (
        await lab.people(['limited'], ['p, limited, clusters, *, shop/*, allow', 'p, limited, clusters, get, *, allow'])
      ).get('limited') ?? '';
    admin = await lab.token();
    const found = await loadKubeconfig({ path: lab.kubeconfig, environment: {}, defaultPath: lab.kubeconfig });
    const text = (source: PemSource | undefined): string =>
      Buffer.from(source?.kind === 'text' ? source.pem : '').toString('base64');
    server = found.server;
    config = {
      tlsClientConfig: {
        caData: text(found.authority),
        certData: text(found.user.certificate),
        keyData: text(found.user.key),
      },
    };
  });
  afterAll(async () => {
    await lab.close();
  });

  it('are made when they answer, as Argo CD names and keeps them', async () => {
    const { status, body } = await send('POST', '/api/v1/clusters', {
      server: `${server}/`,
      name: 'prod',
      config,
      namespaces: ['a', 'b'],
      clusterResources: true,
      shard: 3,
      labels: { tier: 'gold' },
    });
    expect([status, body]).toMatchObject([
      200,
      {
        server,
        name: 'prod',
        config: { tlsClientConfig: { insecure: false } },
        connectionState: { status: 'Successful' },
      },
    ]);
    expect(String(body.serverVersion)).toMatch(/^v1\.\d+/);
    expect(JSON.stringify(body)).not.toContain('keyData');
    expect(await data()).toEqual({
      server,
      name: 'prod',
      config: JSON.stringify(config),
      namespaces: 'a,b',
      clusterResources: 'true',
      shard: '3',
    });
    await known('prod');
    expect((await lab.request(at(), { token: admin })).body).toMatchObject({
      labels: { tier: 'gold' },
      shard: 3,
      namespaces: ['a', 'b'],
    });
  });

  it('are not made twice in two ways, unless one says so', async () => {
    expect((await send('POST', '/api/v1/clusters', { server, name: 'other', config })).status).toBe(400);
    expect((await send('POST', '/api/v1/clusters?upsert=true', { server, name: 'prod', config })).status).toBe(200);
    expect(await data()).toEqual({ server, name: 'prod', config: JSON.stringify(config) });
    expect((await send('POST', '/api/v1/clusters', { server, name: 'prod', config })).status).toBe(200);
  });

  it('are changed field by field, and never with what does not open them', async () => {
    expect(
      (
        await send('PUT', `${at()}?updatedFields=name&updatedFields=namespaces`, {
          name: 'live',
          namespaces: ['c'],
          config: {},
        })
      ).status,
    ).toBe(200);
    expect(await data()).toEqual({ server, name: 'live', config: JSON.stringify(config), namespaces: 'c' });
    await known('live');
    // A client that sends back what it was shown has no credentials in it.
    const shown = (await lab.request('/api/v1/clusters/live?id.type=name', { token: admin })).body;
    expect((await send('PUT', at(), shown)).status).toBe(400);
    expect(await data()).toMatchObject({ config: JSON.stringify(config) });
    expect((await send('PUT', at(), { server: 'https://elsewhere.example.com', name: 'live' })).status).toBe(200);
    expect(await data()).toMatchObject({ server });
  });

  it.each<[string, JsonObject, RegExp]>([
    ['an address that is none', { server: 'somewhere', config: {} }, /is not an http or https address/],
    ['nobody there', { server: 'https://127.0.0.1:1', config: {} }, /error getting server version/],
    [
      'a program',
      {
        server: 'https://127.0.0.1:1',
        config: { execProviderConfig: { command: 'sh', apiVersion: 'client.authentication.k8s.io/v1' } },
      },
      /names a program/,
    ],
    ['a wrong form', { server: 7 }, /server/],
    [
      'no certificate',
      { server: 'https://127.0.0.1:1', config: { tlsClientConfig: { caData: '!' } } },
      /caData|error getting/,
    ],
  ])('are refused for %s', async (_, body, words) => {
    const before = await data();
    const { status, text } = await send('POST', '/api/v1/clusters', body);
    expect([status, text]).toEqual([400, expect.stringMatching(words)]);
    expect(await data()).toEqual(before);
  });

  it('belong to who may: not to other projects, and not by moving them', async () => {
    for (const [method, path, body] of [
      ['POST', '/api/v1/clusters', { server, name: 'x', config }],
      ['PUT', at(), { name: 'x' }],
      ['PUT', at(), { project: 'shop' }],
      ['DELETE', at(), undefined],
    ] as const)
      expect([method, (await send(method, path, body, limited)).status]).toEqual([method, 403]);
    expect((await send('PUT', `${at()}?updatedFields=project`, { project: 'shop' })).status).toBe(200);
    await lab.until('it has moved', async () => (await lab.request(at(), { token: limited })).body.project === 'shop');
    expect((await send('PUT', `${at()}?updatedFields=name`, { name: 'theirs' }, limited)).status).toBe(200);
    expect((await send('PUT', `${at()}?updatedFields=project`, { project: '' }, limited)).status).toBe(403);
  });

  it('are forgotten, but not the one that Argosy runs in', async () => {
    expect((await send('DELETE', '/api/v1/clusters/in-cluster?id.type=name')).status).toBe(400);
    expect((await send('DELETE', at())).status).toBe(200);
    expect(await data()).toEqual({});
    await lab.until('it is gone', async () => (await lab.request(at(), { token: admin })).status === 403);
  });
});
