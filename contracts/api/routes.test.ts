import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, objectsAt, textAt } from '../../src/model/json/index.js';
import { AccessLab } from '../access/access-lab.js';
import { GitRepository } from '../harness/git-repository.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import type { RequestOptions, HttpResponse } from '../harness/send-request.js';
import { APPLICATION_SETS, SECRETS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const CHART =
  'apiVersion: v2\nname: shop\nversion: 1.2.0\ndescription: A shop.\nhome: https://shop.example.com\n' +
  'maintainers: [{name: Ada, email: ada@example.com}]\n';

/** A chart repository with two versions of one chart; the older one has a home that nobody should follow. */
async function serveCharts(): Promise<{ readonly url: string; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-charts-'));
  mkdirSync(join(folder, 'shop/templates'), { recursive: true });
  const pack = (version: string, chart: string): void => {
    writeFileSync(join(folder, 'shop/Chart.yaml'), chart);
    execFileSync('tar', ['czf', join(folder, `shop-${version}.tgz`), '-C', folder, 'shop']);
  };
  pack('1.1.0', CHART.replace('1.2.0', '1.1.0').replace('https://shop.example.com', '"javascript:alert(1)"'));
  pack('1.2.0', CHART);
  writeFileSync(
    join(folder, 'index.yaml'),
    'apiVersion: v1\nentries:\n  shop:\n  - {name: shop, version: 1.2.0, urls: [shop-1.2.0.tgz]}\n  - ' +
      '{name: shop, version: 1.1.0, urls: [shop-1.1.0.tgz]}\n',
  );
  const files = new Map(
    ['index.yaml', 'shop-1.1.0.tgz', 'shop-1.2.0.tgz'].map((name) => [`/${name}`, readFileSync(join(folder, name))]),
  );
  rmSync(folder, { recursive: true });
  const server: Server = createServer((request, response) => {
    const bytes = files.get(request.url ?? '');
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
    },
  };
}

describe.skipIf(missing !== undefined)(
  `routes beside the application${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    let repository: GitRepository;
    let charts: Awaited<ReturnType<typeof serveCharts>>;
    let token = '';
    const ask = (path: string, asked: RequestOptions = {}): Promise<HttpResponse> =>
      lab.request(path, { token, ...asked });
    const create = (kind: string, plural: string, name: string, content: JsonObject): Promise<unknown> =>
      lab.cluster.create(
        { group: 'argoproj.io', version: 'v1alpha1', kind, plural, namespaced: true },
        { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'argocd' }, ...content },
      );

    beforeAll(async () => {
      charts = await serveCharts();
      repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
      await repository.write('shop/Chart.yaml', CHART);
      await repository.write('shop/values.yaml', 'replicas: 2\ndatabase: {password: hunter2, existingSecret: keys}\n');
      await repository.write('shop/values-prod.yaml', 'replicas: 3\n');
      await repository.write(
        'overlay/kustomization.yaml',
        'resources: [pod.yaml]\nimages: [{name: busybox, newTag: "2"}]\n',
      );
      await repository.write(
        'overlay/pod.yaml',
        'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: busybox}]}\n',
      );
      await repository.write('plain/a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
      await repository.commit();
      lab = await AccessLab.open({ allowsFileRepositories: true });
      token = await lab.token();
      await create('AppProject', 'appprojects', 'default', {
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
      });
      await create('Application', 'applications', 'shop', {
        spec: {
          project: 'default',
          source: { repoURL: charts.url, chart: 'shop', targetRevision: '1.2.0' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      });
      await create('ApplicationSet', 'applicationsets', 'sets', {
        spec: {
          generators: [],
          template: {
            metadata: { name: 'x' },
            spec: { project: 'default', destination: {}, source: { repoURL: 'https://git.example.com/a' } },
          },
        },
      });
      await lab.cluster.patch(
        APPLICATION_SETS,
        { namespace: 'argocd', name: 'sets' },
        {
          type: 'merge',
          body: {
            status: {
              resources: [
                {
                  group: 'argoproj.io',
                  version: 'v1alpha1',
                  kind: 'Application',
                  name: 'shop',
                  namespace: 'argocd',
                  health: { status: 'Healthy' },
                },
              ],
            },
          },
        },
        { subresource: 'status' },
      );
      await lab.until('the application is known', async () => (await ask('/api/v1/applications/shop')).status === 200);
    });
    afterAll(async () => {
      charts.close();
      await lab.close();
      await repository.close();
    });

    it('shows the metadata of a chart, without invalid URLs', async () => {
      expect((await ask('/api/v1/applications/shop/revisions/1.2.0/chartdetails')).body).toEqual({
        description: 'A shop.',
        home: 'https://shop.example.com',
        maintainers: ['Ada <ada@example.com>'],
      });
      expect((await ask('/api/v1/applications/shop/revisions/1.1.0/chartdetails')).body).toEqual({
        description: 'A shop.',
        maintainers: ['Ada <ada@example.com>'],
      });
      expect((await ask('/api/v1/applications/shop/revisions/9.9.9/chartdetails')).status).toBe(404);
    });

    it('lists charts of a chart repository, and deployable folders of a git repository', async () => {
      const listed = (): Promise<HttpResponse> =>
        ask(`/api/v1/repositories/${encodeURIComponent(charts.url)}/helmcharts`);
      // This server goes to no address that a reader makes up.
      expect((await listed()).status).toBe(404);
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'charts', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
        stringData: { url: charts.url, type: 'helm' },
      });
      await lab.until('the repository is known', async () => (await listed()).status === 200);
      expect((await listed()).body).toEqual({ items: [{ name: 'shop', versions: ['1.2.0', '1.1.0'] }] });
      expect(
        (await ask(`/api/v1/repositories/${encodeURIComponent(repository.url)}/apps?appProject=default&appName=new`))
          .body,
      ).toEqual({
        items: [
          { path: 'overlay', type: 'Kustomize' },
          { path: 'shop', type: 'Helm' },
        ],
      });
    });

    it('shows the parameters of a source, with passwords masked', async () => {
      const details = async (source: JsonObject, appName = 'new'): Promise<HttpResponse> =>
        ask(`/api/v1/repositories/${encodeURIComponent(repository.url)}/appdetails`, {
          method: 'POST',
          body: { source: { targetRevision: 'master', ...source }, appName, appProject: 'default' },
        });
      const { body } = await details({ path: 'shop', helm: { valueFiles: ['values-prod.yaml'] } });
      expect(body).toMatchObject({ type: 'Helm', helm: { valueFiles: ['values.yaml', 'values-prod.yaml'] } });
      expect(objectsAt(body, 'helm', 'parameters')).toEqual(
        expect.arrayContaining([
          { name: 'replicas', value: '3' },
          { name: 'database.password', value: '++++++++' },
          { name: 'database.existingSecret', value: 'keys' },
        ]),
      );
      expect((await details({ path: 'overlay' })).body).toEqual({
        type: 'Kustomize',
        kustomize: { images: ['busybox:2'] },
      });
      expect((await details({ path: 'plain' })).body).toEqual({ type: 'Directory', directory: {} });
      // Of an application that is there only what it comes from.
      expect((await details({ path: 'plain' }, 'shop')).status).toBe(403);
    });

    it('tests credentials without storing them', async () => {
      const validate = (url: string, body: unknown): Promise<HttpResponse> =>
        ask(`/api/v1/repositories/${encodeURIComponent(url)}/validate`, { method: 'POST', body });
      expect((await validate(repository.url, { repo: repository.url })).status).toBe(200);
      expect((await validate(repository.url, JSON.stringify(repository.url))).status).toBe(200);
      const refused = await validate('https://127.0.0.1:1/none', { password: 'hunter2' });
      expect([refused.status, refused.text.includes('hunter2')]).toEqual([400, false]);
      expect(objectsAt((await ask('/api/v1/repositories')).body, 'items').map((item) => textAt(item, 'repo'))).toEqual([
        charts.url,
      ]);
    });

    it('renders deep links of argocd-cm: templates and conditions, without access to the host', async () => {
      await lab.settings('argocd-cm', {
        'application.links': [
          '- {title: Log, url: "https://log.example.com/{{ .app.metadata.name }}?ns={{ ' +
            '.application.spec.destination.namespace | upper }}", icon.class: fa-book, description: of it}',
          '- {title: Cluster, url: "https://c.example.com/{{ .cluster.name }}", if: cluster.name == "in-cluster"}',
          '- {title: Never, url: "https://x.example.com", if: app.metadata.name == "other"}',
          '- {title: Wrong, url: "https://x.example.com", if: app.metadata.name}',
          '- {title: Environment, url: "https://x.example.com/{{ env \\"PATH\\" }}"}',
          '- {title: Expanded, url: "https://x.example.com/{{ expandenv \\"$PATH\\" }}"}',
          '- {title: Host, url: "https://x.example.com/{{ getHostByName \\"example.com\\" }}"}',
          '- {title: Script, url: "javascript:alert(1)"}',
        ].join('\n'),
        'project.links': '- {title: P, url: "/settings?view={{ .project.metadata.name }}"}',
      });
      await lab.until(
        'the links are known',
        async () => objectsAt((await ask('/api/v1/applications/shop/links')).body, 'items').length > 0,
      );
      expect((await ask('/api/v1/applications/shop/links')).body).toEqual({
        items: [
          { title: 'Log', url: 'https://log.example.com/shop?ns=SHOP', description: 'of it', iconClass: 'fa-book' },
          { title: 'Cluster', url: 'https://c.example.com/in-cluster' },
        ],
      });
      expect((await ask('/api/v1/projects/default/links')).body).toEqual({
        items: [{ title: 'P', url: '/settings?view=default' }],
      });
      expect(
        lab.log.filter((line) => line.includes('application.links cannot be rendered')).length,
      ).toBeGreaterThanOrEqual(5);
    });

    it('shows the applications of an ApplicationSet, and the names of notifications', async () => {
      expect(objectsAt((await ask('/api/v1/applicationsets/sets/resource-tree')).body, 'nodes')).toMatchObject([
        {
          group: 'argoproj.io',
          kind: 'Application',
          name: 'shop',
          namespace: 'argocd',
          health: { status: 'Healthy' },
          parentRefs: [{ kind: 'ApplicationSet', name: 'sets' }],
        },
      ]);
      expect((await ask('/api/v1/applicationsets/sets/events')).body).toEqual({ metadata: {}, items: [] });
      await lab.settings('argocd-notifications-cm', {
        'template.mine': 'message: hello',
        'trigger.mine': '- {when: app.metadata.name == "x", send: [mine]}',
        'service.webhook.mine': 'url: https://hook.example.com',
      });
      const names = async (part: string): Promise<string[]> =>
        objectsAt((await ask(`/api/v1/notifications/${part}`)).body, 'items').map((item) => textAt(item, 'name'));
      expect([
        (await names('templates')).includes('mine'),
        (await names('triggers')).includes('mine'),
        await names('services'),
      ]).toEqual([true, true, ['mine']]);
    });

    it('invalidates the cache of a cluster in every process', async () => {
      const path = '/api/v1/clusters/https%3A%2F%2Fkubernetes.default.svc/invalidate-cache';
      expect((await ask(path, { method: 'POST', body: {} })).body).toMatchObject({
        server: 'https://kubernetes.default.svc',
      });
      expect((await ask('/api/v1/applications/shop/resource-tree')).status).toBe(200);
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'far', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
        stringData: { name: 'far', server: 'https://127.0.0.1:1', config: '{}' },
      });
      await lab.until('it is known', async () => (await ask('/api/v1/clusters/far?id.type=name')).status === 200);
      expect(
        (await ask('/api/v1/clusters/far/invalidate-cache?id.type=name', { method: 'POST', body: {} })).status,
      ).toBe(200);
      expect((await lab.readSecret('far'))?.metadata.annotations?.['argocd.argoproj.io/refresh']).toMatch(/^\d{4}-/);
    });
  },
);
