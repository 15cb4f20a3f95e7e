import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, isObject, objectAt, objectsAt, textAt } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { ApiLab } from './api-lab.js';
import type { HttpResponse } from '../harness/send-request.js';
import { readRoutes, sendMutations } from './mutations.js';
import { Client, installClient } from './public-client.js';
import { CANARY, WEB, webApplication } from './web-manifests.js';

let lab: ApiLab;
let commit = '';
const everything: string[] = [];

async function request(...args: Parameters<ApiLab['request']>): Promise<HttpResponse> {
  const seen = await lab.request(...args);
  everything.push(seen.text);
  return seen;
}

/** Looks again until it is so; the test's own limit ends it. */
async function until(path: string, isSo: (body: JsonObject) => boolean): Promise<JsonObject> {
  for (;;) {
    const { body } = await request(path);
    if (isSo(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

beforeAll(async () => {
  lab = await ApiLab.open();
  commit = lab.commit({ 'web/all.yaml': WEB });
});

afterAll(async () => {
  await lab.close();
});

describe('applications', () => {
  it("are created, refreshed, synced and read by Argo CD's clients", async () => {
    expect(
      (await request('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository) })).status,
    ).toBe(200);
    // The same once more is no mistake; another spec is.
    expect(
      (await request('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository) })).status,
    ).toBe(200);
    const other = await request('/api/v1/applications', {
      method: 'POST',
      body: {
        ...webApplication(lab.repository),
        spec: {
          source: { repoURL: `file://${lab.repository}`, path: 'other' },
          destination: { name: 'in-cluster', namespace: 'x' },
        },
      },
    });
    expect([other.status, other.body.code, other.body.message]).toEqual([
      400,
      3,
      'existing application spec is different, use upsert flag to force update',
    ]);
    const { body: seen } = await request('/api/v1/applications/web?refresh=normal');
    expect([textAt(seen, 'status', 'sync', 'status'), textAt(seen, 'status', 'sync', 'revision')]).toEqual([
      'OutOfSync',
      commit,
    ]);
    expect(Object.keys(seen)).toEqual(['metadata', 'spec', 'status']);
    expect(
      textAt(
        (
          await request('/api/v1/applications/web/sync', {
            method: 'POST',
            body: { prune: true, strategy: { hook: {} } },
          })
        ).body,
        'operation',
        'initiatedBy',
        'username',
      ),
    ).toBe('admin');
    const synced = await until(
      '/api/v1/applications/web',
      (body) =>
        textAt(body, 'status', 'sync', 'status') === 'Synced' &&
        textAt(body, 'status', 'health', 'status') === 'Healthy' &&
        objectsAt(body, 'status', 'history').length === 1,
    );
    expect(textAt(synced, 'status', 'operationState', 'phase')).toBe('Succeeded');
  });

  it('of an ApplicationSet are previewed without being created', async () => {
    const spec = {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [{ git: { repoURL: `file://${lab.repository}`, revision: 'main', directories: [{ path: '*' }] } }],
      template: {
        metadata: { name: 'of-{{.path.basename}}' },
        spec: {
          project: 'default',
          source: { repoURL: `file://${lab.repository}`, path: '{{.path.path}}' },
          destination: { name: 'in-cluster', namespace: 'x' },
        },
      },
    };
    const { status, body } = await request('/api/v1/applicationsets/generate', {
      method: 'POST',
      body: { applicationSet: { metadata: { name: 'tried' }, spec } },
    });
    expect([
      status,
      objectsAt(body, 'applications').map((application) => [
        textAt(application, 'metadata', 'name'),
        textAt(application, 'spec', 'source', 'path'),
      ]),
    ]).toEqual([200, [['of-web', 'web']]]);
    const refused = await request('/api/v1/applicationsets/generate', {
      method: 'POST',
      body: {
        applicationSet: {
          metadata: { name: 'tried' },
          spec: { ...spec, template: { ...spec.template, metadata: { name: '{{.nothing}}' } } },
        },
      },
    });
    expect([
      refused.status,
      refused.body.code,
      String(refused.body.message).includes('map has no entry for key "nothing"'),
    ]).toEqual([400, 3, true]);
    expect((await request('/api/v1/applications/of-web')).status).toBe(403);
    for (const path of ['/api/v1/applicationsets', '/api/v1/applicationsets/generate']) {
      const set = {
        metadata: { name: 'templated' },
        spec: {
          ...spec,
          generators: [
            { list: { elements: [{ project: 'admins' }], template: { spec: { project: '{{.project}}' } } } },
          ],
        },
      };
      const { status: answered, body: said } = await request(path, {
        method: 'POST',
        body: path.endsWith('generate') ? { applicationSet: set } : set,
      });
      expect([answered, said.message]).toEqual([
        400,
        'the API does not support ApplicationSets with templated `project` fields',
      ]);
    }
  });

  it('are listed by page, filter and field', async () => {
    for (const name of ['blue', 'green'])
      await request('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository, name) });
    const names = async (query: string): Promise<unknown[]> =>
      objectsAt((await request(`/api/v1/applications?${query}`)).body, 'items').map((item) =>
        textAt(item, 'metadata', 'name'),
      );
    expect(await names('')).toEqual(['blue', 'green', 'web']);
    expect(await names('limit=1&offset=1')).toEqual(['green']);
    expect(await names('selector=team%3Dshop&search=gre')).toEqual(['green']);
    expect(await names('projects=other')).toEqual([]);
    expect(await names(`repo=${encodeURIComponent(`file://${lab.repository}`)}&sync=Synced`)).toEqual(['web']);
    expect((await request('/api/v1/applications?limit=2')).body.metadata).toMatchObject({ remainingItemCount: 1 });
    expect(
      objectsAt(
        (await request('/api/v1/applications?fields=items.metadata.name,items.status.sync.status&name=web')).body,
        'items',
      ),
    ).toEqual([{ metadata: { name: 'web' }, status: { sync: { status: 'Synced' } } }]);
    expect((await request('/api/v1/applications?selector=%3D%3D')).body.code).toBe(3);
    for (const name of ['blue', 'green'])
      expect((await request(`/api/v1/applications/${name}?cascade=false`, { method: 'DELETE' })).status).toBe(200);
    await until('/api/v1/applications', (body) => objectsAt(body, 'items').length === 1);
    const fleet = (await request('/api/v1/fleet?search=web')).body;
    expect([fleet.total, objectAt(fleet, 'counts')?.all, objectsAt(fleet, 'items')[0]]).toMatchObject([
      1,
      1,
      { name: 'web', sync: 'Synced', health: 'Healthy', cause: '' },
    ]);
  });

  it('show every resource: tree, manifests, differences, waves, events, logs', async () => {
    const tree = (await request('/api/v1/applications/web/resource-tree')).body;
    const pods = objectsAt(tree, 'nodes').filter(({ kind }) => kind === 'Pod');
    expect(pods).toHaveLength(2);
    expect(pods[0]).toMatchObject({
      version: 'v1',
      namespace: 'web',
      images: ['registry.example.com/web:1.0'],
      health: { status: 'Healthy' },
      parentRefs: [{ group: 'apps', kind: 'ReplicaSet' }],
    });
    const managed = objectsAt((await request('/api/v1/applications/web/managed-resources?kind=Service')).body, 'items');
    expect(managed.map(({ kind }) => kind)).toEqual(['Service']);
    expect(JSON.parse(String(managed[0]?.targetState))).toMatchObject({ kind: 'Service', metadata: { name: 'web' } });
    expect(managed[0]?.normalizedLiveState).toBe(managed[0]?.predictedLiveState);
    expect((await request('/api/v1/applications/web/manifests')).body).toMatchObject({
      revision: commit,
      namespace: 'web',
    });
    expect(
      objectsAt((await request('/api/v1/applications/web/rendered')).body, 'manifests').map(({ origin, wave }) => [
        origin,
        wave,
      ]),
    ).toEqual([
      ['web/all.yaml:1', 1],
      ['web/all.yaml:9', 0],
      ['web/all.yaml:14', 0],
    ]);
    expect(objectsAt((await request('/api/v1/applications/web/waves')).body, 'waves').map(({ wave }) => wave)).toEqual([
      0, 1,
    ]);
    expect((await request('/api/v1/applications/web/drift')).body).toMatchObject({ resources: [], errors: [] });
    expect((await request('/api/v1/applications/web/explain')).body).toEqual({
      reasons: [],
      causes: [],
      isSearched: true,
    });
    expect((await request(`/api/v1/applications/web/revisions/${commit}/metadata`)).body).toMatchObject({
      author: 'Ada <ada@example.com>',
      message: 'as wanted',
    });
    expect((await request('/api/v1/applications/web/syncwindows')).body).toEqual({ canSync: true });
    expect(objectsAt((await request('/api/v1/applications/web/events')).body, 'items').length).toBeGreaterThan(0);
    const logs = (
      await request(`/api/v1/applications/web/logs?podName=${String(pods[0]?.name)}&namespace=web&tailLines=1`)
    ).text
      .trim()
      .split('\n')
      .map((line) => objectAt(JSON.parse(line) as JsonObject, 'result'));
    expect([logs[0]?.podName, logs.at(-1)?.last]).toEqual([pods[0]?.name, true]);
  });

  it('mask Secrets, and hide resources of other applications', async () => {
    const secret = (
      await request('/api/v1/applications/web/resource?namespace=web&resourceName=web&version=v1&kind=Secret')
    ).body;
    expect(objectAt(JSON.parse(String(secret.manifest)) as JsonObject, 'data')).toEqual({ password: '++++++++' });
    const stranger = await request(
      '/api/v1/applications/web/resource?namespace=kube-system&resourceName=kube-dns&version=v1&kind=Service',
    );
    expect([stranger.status, stranger.body.message]).toEqual([
      400,
      'Service kube-dns not found as part of application web',
    ]);
    expect(
      everything.filter((text) => text.includes(CANARY) || text.includes(Buffer.from(CANARY).toString('base64'))),
    ).toEqual([]);
  });

  it('support actions, patches and deletions of their resources', async () => {
    const object = 'namespace=web&resourceName=web&version=v1&group=apps&kind=Deployment';
    expect(
      objectsAt((await request(`/api/v1/applications/web/resource/actions?${object}`)).body, 'actions').map(
        ({ name }) => name,
      ),
    ).toContain('restart');
    expect(
      (await request(`/api/v1/applications/web/resource/actions?${object}`, { method: 'POST', body: '"restart"' }))
        .status,
    ).toBe(200);
    expect(
      (
        await request('/api/v1/applications/web/resource/actions/v2', {
          method: 'POST',
          body: {
            namespace: 'web',
            resourceName: 'web',
            version: 'v1',
            group: 'apps',
            kind: 'Deployment',
            action: 'scale',
            resourceActionParameters: [{ name: 'replicas', value: '3' }],
          },
        })
      ).status,
    ).toBe(200);
    const drifted = await until(
      '/api/v1/applications/web',
      (body) => textAt(body, 'status', 'sync', 'status') === 'OutOfSync',
    );
    expect(drifted).toBeDefined();
    const drift = objectsAt((await request('/api/v1/applications/web/drift')).body, 'resources');
    expect(drift[0]).toMatchObject({
      key: { kind: 'Deployment' },
      presence: 'both',
      fields: [{ pointer: '/spec/replicas', git: 2, live: 3 }],
    });
    const patched = await request(
      `/api/v1/applications/web/resource?${object}&patchType=application/merge-patch%2Bjson`,
      {
        method: 'POST',
        body: '{"spec":{"replicas":2}}',
      },
    );
    expect(objectAt(JSON.parse(String(patched.body.manifest)) as JsonObject, 'spec')?.replicas).toBe(2);
    expect(
      (
        await request(
          `/api/v1/applications/web/resource?${object.replaceAll('Deployment', 'Service').replace('apps', '')}`,
          { method: 'DELETE' },
        )
      ).status,
    ).toBe(200);
    await until('/api/v1/applications/web/resource-tree', (body) =>
      objectsAt(body, 'nodes').some(
        (node) => node.kind === 'Service' && textAt(node, 'health', 'status') === 'Missing',
      ),
    );
  });

  it('can be rolled back, patched, and their operations terminated', async () => {
    expect((await request('/api/v1/applications/web/operation', { method: 'DELETE' })).body.message).toBe(
      'Unable to terminate operation. No operation is in progress',
    );
    expect(
      (await request('/api/v1/applications/web/rollback', { method: 'POST', body: { id: 99 } })).body.message,
    ).toBe('application argocd/web does not have deployment with id 99');
    expect(
      textAt(
        (await request('/api/v1/applications/web/rollback', { method: 'POST', body: { id: 0 } })).body,
        'operation',
        'sync',
        'revision',
      ),
    ).toBe(commit);
    await until(
      '/api/v1/applications/web',
      (body) =>
        textAt(body, 'status', 'operationState', 'phase') === 'Succeeded' &&
        !isObject(body.operation) &&
        textAt(body, 'status', 'sync', 'status') === 'Synced',
    );
    const patched = await request('/api/v1/applications/web', {
      method: 'PATCH',
      body: { patchType: 'merge', patch: '{"spec":{"revisionHistoryLimit":3}}' },
    });
    expect(objectAt(patched.body, 'spec')?.revisionHistoryLimit).toBe(3);
    expect(
      (
        await request('/api/v1/applications/web', {
          method: 'PATCH',
          body: { patchType: 'merge', patch: '{"spec":{"project":"nowhere"}}' },
        })
      ).body.message,
    ).toBe('app is not allowed in project "nowhere", or the project does not exist');
  });
});

describe('streams', () => {
  it('report changes of applications, and end with the client', async () => {
    const abort = new AbortController();
    const response = await fetch(
      lab.url +
        '/api/v1/stream/applications?name=web' +
        '&fields=result.type,result.application.metadata.name,result.application.metadata.labels',
      { headers: { authorization: `Bearer ${lab.token}`, accept: 'text/event-stream' }, signal: abort.signal },
    );
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const read = async (wanted: string): Promise<void> => {
      while (!text.includes(wanted)) text += (await reader?.read())?.value ?? '';
    };
    await read('\n\n');
    expect(text.split('\n\n')[0]).toBe(
      'data: {"result":{"type":"ADDED","application":{"metadata":{"name":"web","labels":{"team":"shop"}}}}}',
    );
    await request('/api/v1/applications/web', {
      method: 'PATCH',
      body: { patchType: 'merge', patch: '{"metadata":{"labels":{"team":"books"}}}' },
    });
    await read('"team":"books"');
    abort.abort();
  });
});

describe('webhooks', () => {
  it('refresh exactly the applications of the pushed repository', async () => {
    const source = (repoURL: string, targetRevision: string): object => ({
      ...webApplication(lab.repository),
      metadata: { name: targetRevision },
      spec: {
        project: 'default',
        source: { repoURL, path: 'web', targetRevision },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'x' },
      },
    });
    for (const branch of ['hook-a', 'hook-b'])
      await request('/api/v1/applications?validate=false', {
        method: 'POST',
        body: source('https://git.invalid/acme/shop.git', branch),
      });
    const payload = JSON.stringify({
      ref: 'refs/heads/hook-a',
      repository: { html_url: 'https://git.invalid/acme/shop', default_branch: 'main' },
      commits: [{ added: [], modified: ['web/all.yaml'], removed: [] }],
    });
    expect(
      (
        await request('/api/webhook', {
          method: 'POST',
          body: payload,
          token: '',
          headers: { 'x-github-event': 'push' },
        })
      ).body,
    ).toEqual({});
    expect(
      (
        await request('/api/webhook', {
          method: 'POST',
          body: payload,
          token: '',
          headers: { 'x-github-event': 'ping' },
        })
      ).body,
    ).toEqual({});
    expect((await request('/api/webhook', { method: 'POST', body: payload, token: '' })).status).toBe(400);
  });
});

describe('a third-party client', () => {
  const program = installClient();

  it.skipIf(program === undefined)('lists, reads and syncs an application without changes', async () => {
    const client = new Client(program ?? '', lab.url, lab.token);
    try {
      await client.request('initialize', {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo: { name: 'contract', version: '1' },
      });
      const which = { applicationName: 'web', applicationNamespace: 'argocd' };
      expect(
        objectsAt(await client.call('list_applications', {}), 'items').map((item) => textAt(item, 'metadata', 'name')),
      ).toContain('web');
      expect(textAt(await client.call('get_application', which), 'metadata', 'name')).toBe('web');
      expect(isObject((await client.call('sync_application', { ...which, prune: true })).operation)).toBe(true);
      await until(
        '/api/v1/applications/web',
        (body) => textAt(body, 'status', 'operationState', 'phase') === 'Succeeded' && !isObject(body.operation),
      );
      expect(
        objectsAt(await client.call('get_application_resource_tree', which), 'nodes').map(({ kind }) => kind),
      ).toEqual(expect.arrayContaining(['Deployment', 'ReplicaSet', 'Pod', 'Service', 'Secret']));
      expect(objectsAt(await client.call('get_application_managed_resources', which), 'items')).toHaveLength(3);
      expect(objectsAt(await client.call('get_application_events', which), 'items').length).toBeGreaterThan(0);
    } finally {
      client.close();
    }
  });
});

/** What strangers may ask, by the matrix of access. Signing in with nothing is refused as everything else is. */
function openRoutes(): string[] {
  const file = join(import.meta.dirname, '../access/matrix.yaml');
  const rows = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
  return Object.entries(isObject(rows) ? rows : {})
    .filter(([, row]) => row === 'anyone' || textAt(row, 'needs') === 'anyone')
    .map(([route]) => route)
    .filter((route) => route !== 'POST /api/v1/session');
}

describe('arbitrary requests', () => {
  it('are rejected without a login, except for public routes', async () => {
    const routes = await readRoutes(lab);
    const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect(served.size).toBe(routes.length);
    const open: string[] = [];
    for (const { method, path, isStream } of routes) {
      const response = await fetch(`${lab.url}${path.replaceAll(/\{[^}]+\}/g, 'web')}`, {
        method,
        redirect: 'manual',
        headers: { 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      if (isStream) await response.body?.cancel();
      else await response.text();
      if (response.status !== 401) open.push(`${method} ${path}`);
    }
    expect(open.sort()).toEqual(
      openRoutes()
        .filter((route) => served.has(route))
        .sort(),
    );
    expect(open.length).toBeGreaterThan(10);
  });

  it('get a success or an error message, and the server keeps running', async () => {
    const { wrong, statuses } = await sendMutations(lab, await readRoutes(lab), 1, 500);
    expect(wrong).toEqual([]);
    expect(statuses['4xx']).toBeGreaterThan(100);
  });
});
