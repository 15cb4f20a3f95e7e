import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOfLink, isHarmlessLink } from '../../src/model/formats/index.js';
import { type JsonObject, isObject, objectsAt, textAt } from '../../src/model/json/index.js';
import { HOSTILE_LINKS as PAYLOADS } from '../../src/model/testing/hostile-links.js';
import { AccessLab } from '../access/access-lab.js';
import { GitRepository } from '../harness/git-repository.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { MISSING, openBrowser, type Browser } from './browser.js';
import { NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';

const absent = MISSING !== '' ? MISSING : embeddedMissing();
const ref = (kind: string, plural: string, group = '', version = 'v1'): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
});
const [APPLICATIONS, PROJECTS] = [
  ref('Application', 'applications', 'argoproj.io', 'v1alpha1'),
  ref('AppProject', 'appprojects', 'argoproj.io', 'v1alpha1'),
];
const DESTINATION = { server: 'https://kubernetes.default.svc', namespace: 'shop' };
const at = '2026-11-17T10:00:00Z';

/** Every attribute that leads somewhere, and every handler that stands in the page itself. */
const LEADS =
  `[...document.querySelectorAll('*')].flatMap((element) => [...element.attributes].filter(({ name }) => ` +
  `/^(?:on.+|href|xlink:href|action|formaction|src|srcdoc|data|ping|poster|background)$/i.test(name)).map(({ ` +
  `name, value }) => [element.tagName.toLowerCase(), name, value, (() => { try { return new URL(value, ` +
  `location.href).protocol; } catch { return 'none'; } })()]))`;

describe.skipIf(absent !== undefined)(
  `what strangers write, in the page${absent === undefined ? '' : ` (${absent})`}`,
  () => {
    let lab: AccessLab;
    let browser: Browser;
    let repository: GitRepository;
    const dialogs: string[] = [];
    const seen: string[] = [];

    /** One of each for each payload. */
    const each = <T>(make: (payload: string, index: number) => T): T[] => PAYLOADS.map(make);
    const hostile = (name: string): JsonObject => ({
      project: 'default',
      info: each((value) => ({ name: value, value })),
      destination: DESTINATION,
      ...(name === 'sources'
        ? { sources: each((repoURL) => ({ repoURL, path: repoURL, targetRevision: repoURL, chart: repoURL })) }
        : { source: { repoURL: repository.url, path: 'web', targetRevision: 'master' } }),
    });
    const status = (): JsonObject => ({
      sync: { status: 'OutOfSync', revision: PAYLOADS[0] ?? '' },
      health: { status: 'Degraded', message: PAYLOADS.join(' ') },
      sourceType: 'Directory',
      summary: { externalURLs: [...PAYLOADS], images: [...PAYLOADS] },
      conditions: each((message, index) => ({
        type: index % 2 === 0 ? 'SyncError' : message,
        message,
        lastTransitionTime: at,
      })),
      resources: each((message, index) => ({
        version: 'v1',
        kind: 'ConfigMap',
        namespace: 'shop',
        name: `config-${index}`,
        status: 'OutOfSync',
        health: { status: 'Degraded', message },
      })).concat(
        each((message, index) => ({
          group: 'networking.k8s.io',
          version: 'v1',
          kind: 'Ingress',
          namespace: 'shop',
          name: `way-${index}`,
          status: 'Synced',
          health: { status: 'Healthy', message },
        })),
      ),
      history: each((value, id) => ({
        id,
        revision: value,
        deployedAt: at,
        deployStartedAt: at,
        source: { repoURL: value, path: value, targetRevision: value },
        initiatedBy: { username: value },
      })),
      operationState: {
        phase: 'Failed',
        message: PAYLOADS.join(' '),
        startedAt: at,
        finishedAt: at,
        operation: { initiatedBy: { username: PAYLOADS[0] ?? '' }, sync: {} },
        syncResult: {
          revision: PAYLOADS[1] ?? '',
          resources: each((message, index) => ({
            group: '',
            version: 'v1',
            kind: 'ConfigMap',
            namespace: 'shop',
            name: `config-${index}`,
            status: 'SyncFailed',
            message,
            hookPhase: 'Failed',
            syncPhase: 'Sync',
          })),
        },
      },
    });

    const fill = async (): Promise<void> => {
      const { cluster } = lab;
      await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
      await cluster.create(PROJECTS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: 'default', namespace: 'argocd' },
        spec: {
          description: PAYLOADS[38] ?? '',
          sourceRepos: ['*'],
          destinations: [{ server: '*', namespace: '*' }],
          roles: each((description, index) => ({ name: `role-${index}`, description })),
        },
      });
      for (const [index, payload] of PAYLOADS.entries()) {
        const tracking = (group: string, kind: string, name: string): Record<string, string> => ({
          'argocd.argoproj.io/tracking-id': `web:${group}/${kind}:shop/${name}`,
          'link.argocd.argoproj.io/a': payload,
          'link.argocd.argoproj.io/b': `title|${payload}`,
          'link.argocd.argoproj.io/c': `${payload}|x|https://example.com`,
        });
        await cluster.create(ref('ConfigMap', 'configmaps'), {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: `config-${index}`,
            namespace: 'shop',
            annotations: tracking('', 'ConfigMap', `config-${index}`),
          },
          data: { payload },
        });
        const path = `/${payload.replaceAll(/[^\u0021-\u007e]/g, '')}`;
        await cluster.create(ref('Ingress', 'ingresses', 'networking.k8s.io'), {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: {
            name: `way-${index}`,
            namespace: 'shop',
            annotations: tracking('networking.k8s.io', 'Ingress', `way-${index}`),
          },
          spec: {
            rules: [
              {
                host: 'shop.example.com',
                http: {
                  paths: [
                    {
                      path,
                      pathType: 'ImplementationSpecific',
                      backend: { service: { name: 'x', port: { number: 80 } } },
                    },
                  ],
                },
              },
            ],
          },
        });
      }
      for (const name of ['web', 'sources']) {
        const {
          metadata: { uid = '' },
        } = await cluster.create(APPLICATIONS, {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Application',
          metadata: {
            name,
            namespace: 'argocd',
            annotations: Object.fromEntries(each((payload, index) => [`link.argocd.argoproj.io/n${index}`, payload])),
          },
          spec: hostile(name),
          status: status(),
        });
        for (const [index, message] of PAYLOADS.entries()) {
          await cluster.create(ref('Event', 'events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: `${name}-${index}`, namespace: 'argocd' },
            involvedObject: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', name, namespace: 'argocd', uid },
            reason: `Reason${index}`,
            message,
            type: 'Warning',
            source: { component: message },
            firstTimestamp: at,
            lastTimestamp: at,
            count: 1,
          });
        }
      }
    };

    beforeAll(async () => {
      repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
      await repository.write(
        'web/all.yaml',
        PAYLOADS.map((payload, index) =>
          JSON.stringify({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `config-${index}`, annotations: { 'link.argocd.argoproj.io/a': payload } },
            data: { payload: `${payload} in git` },
          }),
        ).join('\n---\n'),
      );
      await repository.commit();
      [lab, browser] = await Promise.all([
        AccessLab.open({ allowsFileRepositories: true, webFolder: join(import.meta.dirname, '../../dist/web') }),
        openBrowser(),
      ]);
      await fill();
      const links = JSON.stringify(
        PAYLOADS.flatMap((url) => [
          { title: url, description: url, 'icon.class': url, url },
          { title: 'made', url: '{{ index .app.metadata.annotations "link.argocd.argoproj.io/n0" }}' },
          { title: url, url: `https://example.com/?q=${encodeURIComponent(url)}` },
        ]),
      );
      await lab.settings('argocd-cm', {
        url: 'http://localhost',
        'application.links': links,
        'resource.links': links.replaceAll('.app.metadata', '.resource.metadata'),
        'project.links': links,
        'ui.bannercontent': PAYLOADS.join(' '),
        'ui.bannerurl': PAYLOADS[0],
        'help.chatText': PAYLOADS.join(' '),
        'oidc.config': JSON.stringify({
          name: PAYLOADS[38],
          issuer: 'https://sso.example.com',
          clientID: 'a',
          clientSecret: 'b',
        }),
      });
      browser.page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      browser.page.setDefaultTimeout(60_000);
    });
    afterAll(async () => {
      await browser.close();
      await lab.close();
      await repository.close();
    });

    const check = async (where: string): Promise<void> => {
      const leads = await browser.page.evaluate<[string, string, string, string][]>(LEADS);
      const bad = leads.filter(
        ([tag, name, value, protocol]) =>
          name.startsWith('on') ||
          name === 'srcdoc' ||
          !(
            ['http:', 'https:'].includes(protocol) ||
            (name === 'src' && tag === 'img' && value.startsWith('data:image/'))
          ) ||
          (protocol !== 'none' && new URL(value, lab.url).host !== new URL(lab.url).host && !isHarmlessLink(value)),
      );
      expect([where, bad, dialogs]).toEqual([where, [], []]);
      seen.push(await browser.page.evaluate<string>('document.body.innerText'));
    };
    const visit = async (path: string, ready: () => Promise<unknown>): Promise<void> => {
      await browser.page.goto(`${lab.url}${path}`);
      await ready();
      await check(path);
    };

    it('S15: the sign-in page never redirects to another site', async () => {
      for (const payload of PAYLOADS)
        await visit(
          `/login?return_url=${encodeURIComponent(payload)}&has_sso_error=true&sso_error=` +
            encodeURIComponent(payload),
          () => browser.page.getByLabel('Password').waitFor(),
        );
      await browser.page.getByLabel('Username').fill('admin');
      await browser.page.getByLabel('Password').fill(lab.password);
      await browser.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await browser.page.getByRole('navigation').first().waitFor();
      expect(new URL(browser.page.url()).origin).toBe(new URL(lab.url).origin);
      await check('after signing in');
    });

    it('S15: every part of an application, of the fleet and of the settings', async () => {
      const shown = async (): Promise<void> => {
        await browser.page.getByRole('heading').first().waitFor();
        await expect.poll(() => browser.page.locator('.waiting').count(), { timeout: 60_000 }).toBe(0);
      };
      const views = ['resources', 'diff', 'plan', 'manifests', 'values', 'events', 'history', 'conditions'];
      const paths = [
        '/applications',
        '/triage',
        '/notebooks',
        ...['general', 'projects', 'repositories', 'clusters', 'accounts', 'audit'].map(
          (view) => `/settings?view=${view}`,
        ),
        ...['web', 'sources'].flatMap((name) => views.map((view) => `/applications/argocd/${name}?view=${view}`)),
      ];
      for (const path of paths) await visit(path, shown);
      await visit('/applications/argocd/web?view=events', () =>
        browser.page
          .getByText(/Reason\d+/)
          .first()
          .waitFor(),
      );
      await visit('/applications/argocd/web?view=history', () =>
        browser.page
          .getByText(PAYLOADS[0] ?? '')
          .first()
          .waitFor(),
      );
      await visit(`/applications/argocd/web?resource=${encodeURIComponent('/ConfigMap/shop/config-0')}`, shown);
      // Shown as it is written: otherwise nothing was tried.
      expect(seen.join('\n')).toContain('<svg/onload=');
      expect(dialogs).toEqual([]);
    });

    it('S15: no URL in an API response is a script', async () => {
      const token = await lab.token();
      const which = 'group=&version=v1&kind=ConfigMap&namespace=shop&resourceName=config-0';
      const answers = await Promise.all(
        [
          '/api/v1/applications/web/links',
          `/api/v1/applications/web/resource/links?${which}`,
          '/api/v1/projects/default/links',
          '/api/v1/settings',
          '/api/v1/applications/web/resource-tree',
        ].map((path) => lab.request(path, { token })),
      );
      expect(answers.map(({ status: code }) => code)).toEqual(answers.map(() => 200));
      const [application, resource, project, settings, tree] = answers.map(({ body }) => body) as [
        JsonObject,
        JsonObject,
        JsonObject,
        JsonObject,
        JsonObject,
      ];
      const urls = [application, resource, project].flatMap((body) =>
        objectsAt(body, 'items').map((item) => textAt(item, 'url')),
      );
      expect(urls.length).toBeGreaterThan(PAYLOADS.length);
      expect(
        urls.filter((url) => !isHarmlessLink(url) || !['http:', 'https:'].includes(new URL(url).protocol)),
      ).toEqual([]);
      expect([settings.uiBannerURL, isObject(settings.help) ? settings.help.chatUrl : '']).toEqual([
        undefined,
        undefined,
      ]);
      const external = objectsAt(tree, 'nodes').flatMap((node) =>
        isObject(node.networkingInfo) && Array.isArray(node.networkingInfo.externalURLs)
          ? node.networkingInfo.externalURLs.map(String)
          : [],
      );
      expect(external.length).toBeGreaterThan(20);
      // As Argo CD's page reads them: what stands behind one stroke, otherwise the whole.
      expect(
        external.filter((url) => {
          const parts = url.split('|');
          return !/^https?:\/\//i.test(parts.length === 2 ? (parts[1] ?? '') : url) || addressOfLink(url) === undefined;
        }),
      ).toEqual([]);
    });
  },
);
