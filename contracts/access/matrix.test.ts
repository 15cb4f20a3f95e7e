import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { WITHOUT_ROUTE } from '../../src/api/rpc/methods.js';
import { webClient } from '../harness/rpc-client.js';
import { rpcMessage, rpcMethods } from '../harness/rpc-routes.js';
import { AccessLab } from './access-lab.js';
import { SECRETS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const file = join(import.meta.dirname, 'matrix.yaml');
const CANARY = 'canary-7f3a9c';

interface Row {
  readonly route: string;
  readonly needs: 'anyone' | 'signed-in' | 'each' | readonly string[];
  readonly path: string;
  readonly body: Json | undefined;
  /** What admin gets, at least. */
  readonly answer: JsonObject | undefined;
}

function readRows(): Row[] {
  const rows = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
  return Object.entries(isObject(rows) ? rows : {}).map(([route, value]) => {
    const { needs = '', path, query = '', body, answer } = isObject(value) ? value : { needs: value ?? '' };
    const shown = isArray(needs) ? needs.map(String) : String(needs);
    const template = route.slice(route.indexOf(' ') + 1);
    const names: Readonly<Record<string, string>> = { project: 'shop', role: 'ci' };
    const plain =
      typeof path === 'string'
        ? path
        : template.replaceAll(
            /\{([^{}]+)\}/g,
            (_, name: string) => names[name] ?? (template.startsWith('/api/v1/projects/') ? 'shop' : 'web'),
          );
    const namedNeeds = isArray(needs) ? needs.map(String) : [String(shown)];
    return {
      route,
      needs: shown === 'anyone' || shown === 'signed-in' || shown === 'each' ? shown : namedNeeds,
      path: `${plain}${query === '' ? '' : `?${String(query)}`}`,
      body,
      answer: isObject(answer) ? answer : undefined,
    };
  });
}

/** What an answer that goes on for ever says first. */
async function beginning({ body }: Response): Promise<string> {
  const piece = await body?.getReader().read();
  return Buffer.from((piece?.value as Uint8Array | undefined) ?? '').toString('utf8');
}

type Oracle = (resource: string, action: string, object: string) => boolean;

/** What each of them may, by hand: the policy below says the same in Argo CD's words. */
const ROLES: Readonly<Record<string, Oracle>> = {
  none: () => false,
  reader: (resource, action) => action === 'get' && resource !== 'audit',
  other: (resource, _, object) =>
    ['applications', 'applicationsets', 'logs'].includes(resource) && object.startsWith('bank/'),
  right: (resource, action, object) =>
    (['applications', 'logs'].includes(resource) && object.startsWith('shop/')) ||
    (resource === 'projects' && action === 'get' && object === 'shop'),
  token: (resource, action, object) =>
    (resource === 'applications' && ['get', 'sync'].includes(action) && object.startsWith('shop/')) ||
    (resource === 'projects' && action === 'get' && object === 'shop'),
  admin: () => true,
};

function isAllowedTo(role: string, needs: Row['needs']): boolean {
  if (typeof needs === 'string') return true;
  return needs.every((need) => {
    const [resource = '', action = '', object = ''] = need.split(' ');
    return ROLES[role]?.(resource, action, object) === true;
  });
}

const POLICY = [
  'g, reader, role:readonly',
  'p, other, applications, *, bank/*, allow',
  'p, other, applicationsets, *, bank/*, allow',
  'p, other, logs, *, bank/*, allow',
  'p, right, applications, *, shop/*, allow',
  'p, right, logs, *, shop/*, allow',
  'p, right, projects, get, shop, allow',
].join('\n');

describe.skipIf(missing !== undefined)(
  `every route for everybody${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    const tokens = new Map<string, string>();
    const written = readRows();
    const routes = new Set<string>();
    /** A row may be there before its route. */
    let rows: readonly Row[] = [];
    const everything: string[] = [];

    const send = async ({ route, path, body }: Row, token: string | undefined): Promise<number> => {
      const gone = new AbortController();
      const method = route.split(' ')[0] ?? 'GET';
      const answer = await fetch(`${lab.url}${path}`, {
        method,
        redirect: 'manual',
        signal: gone.signal,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(body ?? {}) }),
      });
      // Who may see nothing is told nothing, for ever; admin sees everything.
      const isStream = path.includes('/stream/') && answer.status < 400;
      const streamed = isStream && token === tokens.get('admin') ? await beginning(answer) : '';
      const text = isStream ? streamed : await answer.text();
      everything.push(`${route} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
      gone.abort();
      return answer.status;
    };

    beforeAll(async () => {
      lab = await AccessLab.open();
      const create = (kind: string, plural: string, name: string, content: JsonObject): Promise<unknown> =>
        lab.cluster.create(
          { group: 'argoproj.io', version: 'v1alpha1', kind, plural, namespaced: true },
          { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'argocd' }, ...content },
        );
      await create('AppProject', 'appprojects', 'shop', {
        spec: {
          sourceRepos: ['https://127.0.0.1:1/b'],
          roles: [
            {
              name: 'ci',
              policies: [
                'p, proj:shop:ci, applications, sync, shop/*, allow',
                'p, proj:shop:ci, applications, get, shop/*, allow',
              ],
            },
          ],
        },
      });
      await create('Application', 'applications', 'web', {
        spec: {
          project: 'shop',
          source: { repoURL: 'file:///nowhere', path: 'a' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      });
      await create('ApplicationSet', 'applicationsets', 'web', {
        spec: {
          generators: [],
          template: {
            metadata: { name: 'x' },
            spec: { project: 'shop', destination: {}, source: { repoURL: 'https://git.example.com/a' } },
          },
        },
      });
      await lab.secret('argocd-secret', {
        'webhook.github.secret': CANARY,
        'oidc.clientSecret': CANARY,
        'admin.extra': CANARY,
      });
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'repo',
          namespace: 'argocd',
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
          annotations: { note: CANARY },
        },
        data: Object.fromEntries(
          Object.entries({
            url: 'https://127.0.0.1:1/b',
            username: 'u',
            password: CANARY,
            sshPrivateKey: CANARY,
            tlsClientCertKey: CANARY,
            bearerToken: CANARY,
            project: 'shop',
          }).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      });
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'repo-write',
          namespace: 'argocd',
          labels: { 'argocd.argoproj.io/secret-type': 'repository-write' },
        },
        stringData: { url: 'https://127.0.0.1:1/b', username: 'u', password: CANARY, project: 'shop' },
      });
      await lab.settings('argocd-cmd-params-cm', { 'hydrator.enabled': 'true' });
      // As `kubectl apply` leaves it: the whole Secret once more, in an annotation.
      const cluster = {
        name: 'far',
        server: 'https://127.0.0.1:1',
        config: JSON.stringify({
          bearerToken: CANARY,
          password: CANARY,
          tlsClientConfig: { insecure: true, keyData: CANARY },
        }),
      };
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'far',
          namespace: 'argocd',
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
          annotations: {
            team: 'shop',
            'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
              apiVersion: 'v1',
              kind: 'Secret',
              stringData: cluster,
            }),
          },
        },
        stringData: cluster,
      });
      await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY });
      await lab.settings('argocd-cm', {
        'oidc.config': 'name: x\nissuer: https://127.0.0.1:1/\nclientID: a\nclientSecret: $oidc.clientSecret',
        ...Object.fromEntries(['none', 'reader', 'other', 'right'].map((name) => [`accounts.${name}`, 'apiKey'])),
      });
      const paths = (await lab.request('/api/openapi.json')).body.paths;
      for (const [path, methods] of Object.entries(isObject(paths) ? paths : {}))
        for (const method of Object.keys(isObject(methods) ? methods : {}))
          routes.add(`${method.toUpperCase()} ${path}`);
      rows = written.filter(({ route }) => routes.has(route));
      const admin = await lab.token();
      tokens.set('admin', admin);
      await lab.until(
        'the accounts are known',
        async () => (await lab.request('/api/v1/account/right', { token: admin })).status === 200,
      );
      for (const name of ['none', 'reader', 'other', 'right'])
        tokens.set(
          name,
          String(
            (await lab.request(`/api/v1/account/${name}/token`, { method: 'POST', token: admin, body: {} })).body.token,
          ),
        );
      tokens.set(
        'token',
        String(
          (await lab.request('/api/v1/projects/shop/roles/ci/token', { method: 'POST', token: admin, body: {} })).body
            .token,
        ),
      );
      await lab.until(
        'their rights are known',
        async () =>
          (await lab.request('/api/v1/applications/web', { token: tokens.get('right') ?? '' })).status === 200 &&
          (await lab.request('/api/v1/applications/web', { token: tokens.get('token') ?? '' })).status === 200,
      );
    });
    afterAll(async () => {
      await lab.close();
    });

    it('S25: every route has a row in matrix.yaml', () => {
      expect([...routes].filter((route) => !written.some((row) => row.route === route))).toEqual([]);
      expect(rows.length).toBeGreaterThan(70);
    });

    it('S13: who is not signed in is served what the page needs to sign in, and nothing else', async () => {
      const wrong: string[] = [];
      for (const row of rows) {
        const status = await send(row, undefined);
        // A login without a name and a password is refused in the same way.
        if ((status === 401) !== (row.needs !== 'anyone' || row.route === 'POST /api/v1/session'))
          wrong.push(`${row.route}: ${status}`);
      }
      expect(wrong).toEqual([]);
    });

    // What admin may change, others would miss: it comes last.
    describe.each(Object.keys(ROLES))('%s', (role) => {
      it('S25: over REST', async () => {
        const wrong: string[] = [];
        for (const row of rows) {
          if (row.needs === 'anyone') continue;
          const isAllowed = isAllowedTo(role, row.needs);
          // What really deletes or ends something is only tried by those who may not.
          if (isAllowed && row.route.startsWith('DELETE')) continue;
          const status = await send(row, tokens.get(role));
          if (isAllowed ? status === 401 || status === 403 || status === 500 : status !== 403)
            wrong.push(
              `${row.route}: ${status} although ${role} ${isAllowed ? 'may' : 'may not'}: ` +
                (everything.at(-1)?.slice(-200) ?? ''),
            );
        }
        expect(wrong).toEqual([]);
      });

      it('S25: over gRPC', async () => {
        const client = webClient(lab.url);
        const wrong: string[] = [];
        let asked = 0;
        for (const { method, route, isStream } of rpcMethods()) {
          const row = rows.find((each) => each.route === route);
          if (row === undefined || row.needs === 'anyone') continue;
          const isAllowed = isAllowedTo(role, row.needs);
          if (isAllowed && route.startsWith('DELETE')) continue;
          asked++;
          const { code, message, messages } = await client.call(method, rpcMessage(method, row), {
            token: tokens.get(role) ?? '',
            ...(isStream ? { take: 1, headers: { 'grpc-timeout': '100m' } } : {}),
          });
          everything.push(`${method} ${code} ${message} ${JSON.stringify(messages)}`);
          // 7 is refused, 16 not signed in, 13 a defect.
          if (isAllowed ? [7, 13, 16].includes(code) : code !== 7)
            wrong.push(`${method}: ${code} ${message} although ${role} ${isAllowed ? 'may' : 'may not'}`);
        }
        expect(wrong).toEqual([]);
        expect(asked).toBeGreaterThan(60);
      });
    });

    it('every method of gRPC is a route, or says why it is none', () => {
      const methods = rpcMethods();
      expect(methods).toHaveLength(109);
      const lost = methods.filter(({ path, routes: those }) => {
        const isServed = those.some((each) => rows.some(({ route }) => route === each));
        return isServed === (WITHOUT_ROUTE[path] !== undefined);
      });
      expect(lost).toEqual([]);
      expect(Object.keys(WITHOUT_ROUTE)).toEqual([
        '/application.ApplicationService/GetOCIMetadata',
        '/repository.RepositoryService/ListOCITags',
      ]);
    });

    it('admin gets the answers that rows name', async () => {
      const named = rows.filter(({ answer }) => answer !== undefined);
      for (const { route, path, body, answer } of named) {
        const method = route.split(' ')[0] ?? 'GET';
        const given = await lab.request(path, {
          method,
          token: tokens.get('admin') ?? '',
          ...(isObject(body) ? { body } : {}),
        });
        expect({ route, status: given.status, body: given.body }).toMatchObject({ route, status: 200, body: answer });
      }
      expect(named.length).toBeGreaterThan(0);
    });

    it('S11: nothing of it held a secret', () => {
      expect(everything.length).toBeGreaterThan(300);
      const recorded = readFileSync(lab.auditFile, 'utf8');
      expect(recorded.split('\n').length).toBeGreaterThan(100);
      expect(recorded).not.toContain(CANARY);
      const shown = [...everything, ...lab.log].join('\n');
      for (const form of [
        CANARY,
        Buffer.from(CANARY).toString('base64').replace(/=+$/, ''),
        Buffer.from(CANARY).toString('hex'),
      ])
        expect(everything.find((line) => line.includes(form)) ?? '').toBe('');
      expect(shown).toContain('https://127.0.0.1:1/b');
      expect(shown).not.toContain('$2b$');
    });
  },
);
