import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import { APP_PROJECTS, CLUSTER_ROLE_BINDINGS, SECRETS, SERVICE_ACCOUNTS } from '../../src/model/resources/index.js';
import { writeMessage } from '../../src/api/rpc/write-message.js';
import { tarGz } from '../../src/render/testing/tar.js';
import { loadKubeconfig } from '../../src/cluster/index.js';
import { AccessLab } from '../access/access-lab.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { frameOf, nativeClient, type RpcClient } from '../harness/rpc-client.js';
import type { HttpResponse } from '../harness/send-request.js';

const missing = embeddedMissing();
const WITH_FILES = 'application.ApplicationService/GetManifestsWithFiles';
const UPLOAD = '/api/v1/applications/manifestsWithFiles';

describe.skipIf(missing !== undefined)(`services of Argo CD${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let token = '';
  let rpc: RpcClient;
  const send = (method: string, path: string, body?: JsonObject): Promise<HttpResponse> =>
    lab.request(path, { method, token, ...(body === undefined ? {} : { body }) });
  const stored = async (type: string): Promise<Record<string, string>[]> => {
    const { items } = await lab.cluster.list(SECRETS, {
      namespace: 'argocd',
      labelSelector: `argocd.argoproj.io/secret-type=${type}`,
    });
    return items.map(({ data }) =>
      Object.fromEntries(
        Object.entries(data as Record<string, string>).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString(),
        ]),
      ),
    );
  };

  beforeAll(async () => {
    lab = await AccessLab.open({ controllers: 'all' });
    token = await lab.token();
    rpc = nativeClient(lab.url);
    await lab.cluster.create(APP_PROJECTS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: 'argocd' },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    });
  });
  afterAll(async () => {
    rpc.close();
    await lab.close();
  });

  describe.each([
    ['repocreds', 'repo-creds'],
    ['write-repocreds', 'repo-write-creds'],
  ])('%s', (prefix, type) => {
    const url = 'https://git.example.com/teams';
    const at = `/api/v1/${prefix}/${encodeURIComponent(url)}`;

    it('are added, listed, replaced and removed', async () => {
      const first = { url, username: 'robot', password: 'one', azureServicePrincipalTenantId: 't' };
      expect(await send('POST', `/api/v1/${prefix}`, first)).toMatchObject({ status: 200, body: { url } });
      await lab.until('they are known', async () => (await send('GET', `/api/v1/${prefix}`)).text.includes(url));
      const { body, text } = await send('GET', `/api/v1/${prefix}`);
      expect([body.items, text.includes('one')]).toMatchObject([[{ url, username: 'robot' }], false]);
      // The same once more is no conflict; other credentials are.
      expect((await send('POST', `/api/v1/${prefix}`, first)).status).toBe(200);
      expect(await send('POST', `/api/v1/${prefix}`, { ...first, password: 'two' })).toMatchObject({
        status: 400,
        body: {
          message:
            'existing repository credentials spec is different; use upsert flag to force update; ' +
            'difference in keys "Password"',
        },
      });
      expect(await send('PUT', at, { url, password: 'three' })).toMatchObject({ status: 200, body: { url } });
      expect(await stored(type)).toEqual([{ url, password: 'three' }]);
      expect((await send('DELETE', at)).status).toBe(200);
      expect(await stored(type)).toEqual([]);
    });
  });

  it('end the tokens of a role with the role, also for a role that is made again', async () => {
    const at = '/api/v1/projects/roles';
    const spec = { sourceRepos: ['*'], roles: [{ name: 'ci', policies: [] }] };
    const put = (content: JsonObject): Promise<HttpResponse> =>
      send('PUT', at, { project: { metadata: { name: 'roles' }, spec: content } });
    const made = { project: { metadata: { name: 'roles' }, spec } };
    expect((await send('POST', '/api/v1/projects', made)).status).toBe(200);
    expect((await send('POST', '/api/v1/projects', made)).status).toBe(200);
    const issued = await send('POST', `${at}/roles/ci/token`, { id: 'one' });
    const { token: ofRole = '' } = issued.body as { token?: string };
    const isSignedIn = async (): Promise<boolean> =>
      (await lab.request('/api/v1/session/userinfo', { token: ofRole })).body.loggedIn === true;
    await lab.until('it is known', isSignedIn);
    expect((await send('GET', at)).body).toMatchObject({ spec: { roles: [{ jwtTokens: [{ id: 'one' }] }] } });
    expect((await put({ sourceRepos: ['*'] })).status).toBe(200);
    expect(await isSignedIn()).toBe(false);
    // Nor does it come back because a client says that there was one.
    expect((await put({ ...spec, roles: [{ name: 'ci', jwtTokens: [{ id: 'one', iat: 1 }] }] })).status).toBe(200);
    expect(await isSignedIn()).toBe(false);
  });

  it('keep no credentials to write to a repository where no hydrator is', async () => {
    const repo = 'https://127.0.0.1:1/shop.git';
    for (const [method, path] of [
      ['GET', '/api/v1/write-repositories'],
      ['POST', '/api/v1/write-repositories'],
    ] as const)
      expect(await send(method, path, method === 'GET' ? undefined : { repo, password: 'x' })).toMatchObject({
        status: 501,
        body: { code: 12, message: expect.stringContaining('hydrator is disabled') as string },
      });
    await lab.settings('argocd-cmd-params-cm', { 'hydrator.enabled': 'true' });
    await lab.until('there is one', async () => (await send('GET', '/api/v1/write-repositories')).status === 200);
    expect(await send('POST', '/api/v1/write-repositories', { repo })).toMatchObject({
      status: 400,
      body: { message: 'missing credentials in request' },
    });
    // What cannot be opened is not stored.
    expect((await send('POST', '/api/v1/write-repositories', { repo, password: 'x' })).status).toBeGreaterThan(399);
    expect(await stored('repository-write')).toEqual([]);
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'writer',
        namespace: 'argocd',
        labels: { 'argocd.argoproj.io/secret-type': 'repository-write' },
      },
      stringData: { url: repo, username: 'robot', password: 'x' },
    });
    const at = `/api/v1/write-repositories/${encodeURIComponent(repo)}`;
    await lab.until('it is known', async () => (await send('GET', at)).status === 200);
    expect((await send('GET', at)).body).toMatchObject({ repo, username: 'robot' });
    expect((await send('GET', '/api/v1/repositories')).body.items).toEqual([]);
    expect((await send('PUT', at, { repo, password: 'y' })).status).toBe(200);
    expect(await stored('repository-write')).toEqual([{ url: repo, password: 'y' }]);
    expect((await send('DELETE', at)).status).toBe(200);
    expect(await stored('repository-write')).toEqual([]);
  });

  it('give the account of a cluster a new token, and end the old one', async () => {
    const { server } = await loadKubeconfig({ path: lab.kubeconfig, environment: {}, defaultPath: lab.kubeconfig });
    await lab.cluster.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'argocd-manager', namespace: 'kube-system' },
    });
    await lab.cluster.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'argocd-manager' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'argocd-manager', namespace: 'kube-system' }],
    });
    const id = { namespace: 'kube-system', name: 'argocd-manager-long-lived-token' };
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { ...id, annotations: { 'kubernetes.io/service-account.name': 'argocd-manager' } },
    });
    const tokenIn = async (): Promise<string> => {
      const { token: bytes } = ((await lab.cluster.get(SECRETS, id))?.data ?? {}) as { token?: string };
      return Buffer.from(bytes ?? '', 'base64').toString();
    };
    await lab.until('there is a token', async () => (await tokenIn()) !== '');
    const bearerToken = await tokenIn();
    const config = { bearerToken, tlsClientConfig: { insecure: true } };
    expect((await send('POST', '/api/v1/clusters', { server, name: 'prod', config })).status).toBe(200);
    const at = `/api/v1/clusters/${encodeURIComponent(server)}`;
    await lab.until('it is known', async () => (await send('GET', at)).body.name === 'prod');
    expect(await send('POST', `${at}/rotate-auth`)).toMatchObject({ status: 200, body: {} });
    const [after] = await stored('cluster');
    const { bearerToken: fresh } = JSON.parse(after?.config ?? '{}') as { bearerToken?: string };
    expect(fresh).toMatch(/^eyJ/);
    expect(fresh).not.toBe(bearerToken);
    expect(await lab.cluster.get(SECRETS, id)).toBeUndefined();
    const own = encodeURIComponent('https://kubernetes.default.svc');
    expect(await send('POST', `/api/v1/clusters/${own}/rotate-auth`)).toMatchObject({
      status: 400,
      body: { message: "Cluster 'https://kubernetes.default.svc' does not use bearer token authentication" },
    });
  });

  describe('the manifests of files that a client sends', () => {
    const files = Buffer.from(
      tarGz([
        { name: 'web/all.yaml', content: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: sent }\n' },
        {
          name: 'web/secret.yaml',
          content: 'apiVersion: v1\nkind: Secret\nmetadata: { name: sent }\nstringData: { a: canary-5512 }\n',
        },
      ]),
    );
    const checksum = createHash('sha256').update(files).digest('hex');
    const query = { name: 'web', checksum, project: 'default' };
    /** In pieces, as the command line sends them. */
    const pieces = (): JsonObject[] => {
      const found: JsonObject[] = [];
      for (let at = 0; at < files.length; at += 100)
        found.push({ chunk: { chunk: files.subarray(at, at + 100).toString('base64') } });
      return found;
    };

    beforeAll(async () => {
      const made = await send('POST', '/api/v1/applications?validate=false', {
        metadata: { name: 'web' },
        spec: {
          project: 'default',
          source: { repoURL: 'https://127.0.0.1:1/away.git', path: 'web' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        },
      });
      expect(made.status).toBe(200);
    });

    const upload = (messages: readonly JsonObject[]): Promise<Response> =>
      fetch(`${lab.url}${UPLOAD}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: messages.map((each) => JSON.stringify(each)).join('\n'),
      });

    it('come over gRPC, and with secrets masked', async () => {
      const frames = Buffer.concat(
        [{ query }, ...pieces()].map((each) =>
          frameOf(writeMessage(each, 'application.ApplicationManifestQueryWithFilesWrapper')),
        ),
      );
      const { code, message, messages } = await rpc.call(WITH_FILES, {}, { token, frames });
      expect([code, message]).toEqual([0, '']);
      const manifests = JSON.stringify(messages[0]?.manifests);
      expect(manifests).toContain('sent');
      expect(manifests).toContain('ConfigMap');
      expect(manifests).not.toContain(Buffer.from('canary-5512').toString('base64'));
      expect(manifests).not.toContain('canary-5512');
    });

    it('come over REST as well', async () => {
      const answer = await upload([{ query }, ...pieces()]);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ConfigMap')]);
    });

    it.each([
      ['another checksum', () => [{ query: { ...query, checksum: 'x' } }, ...pieces()], 400, /checksum validation/],
      ['what is no archive', () => [{ query: { ...query, checksum: checksumOf('x') } }, piece('x')], 400, /tgz/],
      ['an application that is not there', () => [{ query: { ...query, name: 'none' } }], 404, /not found/],
      ['no application', () => pieces(), 403, /permission denied/],
      ['nothing', () => [], 403, /permission denied/],
    ] as const)('are refused for %s', async (_, messages, status, text) => {
      const answer = await upload(messages());
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(text)]);
    });
  });
});

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function piece(text: string): JsonObject {
  return { chunk: { chunk: Buffer.from(text).toString('base64') } };
}
