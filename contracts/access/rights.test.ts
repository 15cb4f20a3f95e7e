import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import type { RequestOptions } from '../harness/send-request.js';
import { AccessLab } from './access-lab.js';
import { APPLICATIONS, NAMESPACES, SECRETS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const POLICY = [
  'p, dev, applications, get, shop/*, allow',
  'p, dev, applications, create, shop/*, allow',
  'p, dev, applications, update, shop/*, allow',
  'p, dev, applications, sync, shop/*, allow',
  'p, dev, projects, update, shop, allow',
  'p, dev, projects, get, shop, allow',
  'p, dev, repositories, update, https://git.example.com/mine, allow',
].join('\n');

describe.skipIf(missing !== undefined)(`ways around a right${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let dev = '';
  const spec = (project: string): JsonObject => ({
    project,
    source: { repoURL: 'https://git.example.com/a', path: 'a' },
    destination: { server: 'https://kubernetes.default.svc', namespace: project },
  });
  const create = (kind: string, plural: string, name: string, content: JsonObject): Promise<unknown> =>
    lab.cluster.create(
      { group: 'argoproj.io', version: 'v1alpha1', kind, plural, namespaced: true },
      { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'argocd' }, ...content },
    );
  const status = async (path: string, asked: RequestOptions): Promise<number> =>
    (await lab.request(path, { token: dev, ...asked })).status;
  const object = async (plural: string, kind: string, name: string): Promise<JsonObject> =>
    (await lab.cluster.get(
      { group: 'argoproj.io', version: 'v1alpha1', kind, plural, namespaced: true },
      { namespace: 'argocd', name },
    )) ?? {};

  beforeAll(async () => {
    lab = await AccessLab.open();
    for (const name of ['shop', 'bank']) {
      await create('AppProject', 'appprojects', name, {
        spec: { description: name, sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
      });
      await create('Application', 'applications', `${name}-app`, { spec: spec(name) });
    }
    await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY });
    await lab.settings('argocd-cm', { 'accounts.dev': 'apiKey' });
    const admin = await lab.token();
    await lab.until(
      'the account is known',
      async () => (await lab.request('/api/v1/account/dev', { token: admin })).status === 200,
    );
    dev = String(
      (await lab.request('/api/v1/account/dev/token', { method: 'POST', token: admin, body: {} })).body.token,
    );
    await lab.until(
      'its rights are known',
      async () =>
        (await status('/api/v1/applications/shop-app', {})) === 200 &&
        (await lab.request('/api/v1/applications/bank-app', { token: admin })).status === 200,
    );
  });
  afterAll(async () => {
    await lab.close();
  });

  it('S29: what is written is what was asked about', async () => {
    const before = JSON.stringify([
      (await object('applications', 'Application', 'bank-app')).spec,
      (await object('appprojects', 'AppProject', 'bank')).spec,
    ]);
    const named = (name: string, project: string): JsonObject => ({
      metadata: { name, namespace: 'argocd' },
      spec: { ...spec(project), revisionHistoryLimit: 3 },
    });
    // The path says which is written, whatever the body is called.
    await status('/api/v1/applications/shop-app', { method: 'PUT', body: named('bank-app', 'shop') });
    expect(await status('/api/v1/applications/bank-app', { method: 'PUT', body: named('shop-app', 'shop') })).toBe(403);
    expect(
      await status('/api/v1/applications/bank-app?project=shop', { method: 'PUT', body: named('bank-app', 'shop') }),
    ).toBeGreaterThanOrEqual(400);
    expect(
      await status('/api/v1/applications?upsert=true', { method: 'POST', body: named('bank-app', 'shop') }),
    ).toBeGreaterThanOrEqual(400);
    await status('/api/v1/projects/shop', {
      method: 'PUT',
      body: { project: { metadata: { name: 'bank' }, spec: { sourceRepos: [] } } },
    });
    expect(
      await status('/api/v1/projects/bank', {
        method: 'PUT',
        body: { project: { metadata: { name: 'shop' }, spec: { sourceRepos: [] } } },
      }),
    ).toBe(403);
    expect(
      JSON.stringify([
        (await object('applications', 'Application', 'bank-app')).spec,
        (await object('appprojects', 'AppProject', 'bank')).spec,
      ]),
    ).toBe(before);
  });

  it('S29: a repository of one project is not written with the right to another', async () => {
    const url = 'https://git.example.com/mine';
    const password = async (name: string): Promise<unknown> =>
      ((await lab.readSecret(name))?.data as JsonObject | undefined)?.password;
    for (const project of ['', 'bank']) {
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `mine-${project}x`,
          namespace: 'argocd',
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        },
        stringData: { url, password: 'old', ...(project === '' ? {} : { project }) },
      });
    }
    const admin = await lab.token();
    await lab.until(
      'both are known',
      async () =>
        ((await lab.request('/api/v1/repositories', { token: admin })).body.items as JsonObject[]).length === 2,
    );
    const put = (query: string, body: JsonObject): Promise<number> =>
      status(`/api/v1/repositories/${encodeURIComponent(url)}${query}`, { method: 'PUT', body });
    expect(await put('', { repo: url, password: 'new', project: 'bank' })).toBe(403);
    expect(await put('?appProject=bank', { repo: url, password: 'new' })).toBe(403);
    expect(await put('?appProject=', { repo: url, password: 'new', project: 'bank' })).toBe(403);
    expect([await password('mine-bankx'), await password('mine-x')]).toEqual(['b2xk', 'b2xk']);
    expect(await put('', { repo: url, password: 'new' })).toBe(200);
    expect([await password('mine-bankx'), await password('mine-x')]).toEqual(['b2xk', 'bmV3']);
  });

  it('S29: an application does not move into a project that one may not write to', async () => {
    expect(
      await status('/api/v1/applications/shop-app', {
        method: 'PUT',
        body: { metadata: { name: 'shop-app' }, spec: spec('bank') },
      }),
    ).toBe(403);
    expect(await status('/api/v1/applications/shop-app/spec', { method: 'PUT', body: spec('bank') })).toBe(403);
    expect(
      await status('/api/v1/applications/shop-app', {
        method: 'PATCH',
        body: { patch: '{"spec":{"project":"bank"}}', patchType: 'merge' },
      }),
    ).toBe(403);
    expect((await object('applications', 'Application', 'shop-app')).spec).toMatchObject({ project: 'shop' });
  });

  it("S27: manifests of one's own need the right to override", async () => {
    expect(
      await status('/api/v1/applications/shop-app/sync', {
        method: 'POST',
        body: { manifests: ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'] },
      }),
    ).toBeGreaterThanOrEqual(400);
    expect((await object('applications', 'Application', 'shop-app')).operation).toBeUndefined();
  });

  it('S26: an application in a namespace that nobody allowed is not there', async () => {
    await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'stray', namespace: 'shop' },
      spec: spec('shop'),
    });
    const where = '/api/v1/applications/stray';
    for (const [path, asked] of [
      [where, {}],
      [`${where}/sync`, { method: 'POST', body: {} }],
      [`${where}/resource-tree`, {}],
      [`${where}/logs`, {}],
      [`${where}/operation`, { method: 'DELETE' }],
      [where, { method: 'DELETE' }],
    ] as const) {
      expect([path, await status(`${path}?appNamespace=shop`, asked)]).toEqual([path, 403]);
    }
  });

  it('S14: what one may not see is refused as what is not there', async () => {
    const answer = async (path: string): Promise<string> => {
      const { status: code, text, headers } = await lab.request(path, { token: dev });
      return JSON.stringify([
        code,
        text.replaceAll(/bank-app|ghost-app|bank|ghost/g, 'NAME'),
        [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name)),
      ]);
    };
    for (const path of [
      '/api/v1/applications/NAME-app',
      '/api/v1/applications/NAME-app/resource-tree',
      '/api/v1/applications/NAME-app/manifests',
      '/api/v1/projects/NAME',
      '/api/v1/projects/NAME/detailed',
      '/api/v1/clusters/https%3A%2F%2FNAME',
      '/api/v1/repositories/https%3A%2F%2FNAME',
      '/api/v1/account/NAME',
    ]) {
      expect([path, await answer(path.replaceAll('NAME', 'ghost'))]).toEqual([
        path,
        await answer(path.replaceAll('NAME', 'bank')),
      ]);
    }
    expect(await answer('/api/v1/account/admin')).toBe(
      (await answer('/api/v1/account/ghost')).replaceAll('NAME', 'admin'),
    );
  });

  it('lists follow rights at once: a project role granted or removed, an application moved', async () => {
    const seen = async (path: string): Promise<string> =>
      ((await lab.request(path, { token: dev })).body.items as JsonObject[])
        .map((item) => String(item.name ?? (item.metadata as JsonObject).name))
        .filter((name) => name.endsWith('-app'))
        .join(' ');
    const both = async (): Promise<string> => `${await seen('/api/v1/applications')}, ${await seen('/api/v1/fleet')}`;
    const patch = (plural: string, kind: string, name: string, body: JsonObject): Promise<unknown> =>
      lab.cluster.patch(
        { group: 'argoproj.io', version: 'v1alpha1', kind, plural, namespaced: true },
        { namespace: 'argocd', name },
        { type: 'merge', body },
      );
    const until = (wanted: string): Promise<void> =>
      lab.until(`it sees ${wanted}`, async () => (await both()) === wanted);
    expect(await both()).toBe('shop-app, shop-app');
    await lab.settings('argocd-rbac-cm', { 'policy.csv': `${POLICY}\ng, dev, proj:bank:looks` });
    await patch('appprojects', 'AppProject', 'bank', {
      spec: { roles: [{ name: 'looks', policies: ['p, proj:bank:looks, applications, get, bank/*, allow'] }] },
    });
    await until('bank-app shop-app, bank-app shop-app');
    await patch('appprojects', 'AppProject', 'bank', { spec: { roles: null } });
    await until('shop-app, shop-app');
    await patch('applications', 'Application', 'bank-app', { spec: { project: 'shop' } });
    await until('bank-app shop-app, bank-app shop-app');
    await patch('applications', 'Application', 'bank-app', { spec: { project: 'bank' } });
    await until('shop-app, shop-app');
    await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY });
  });
});
