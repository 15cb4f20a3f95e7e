import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { type JsonObject, isObject, objectsAt, textAt, writeJson } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { AccessLab } from './access-lab.js';
import { Canary, leaksIn } from './canary.js';
import { NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';

const parts = await realParts(['etcd', 'kube-apiserver']);
const absent = parts.kind === 'missing' ? `skipped: the real control plane (${parts.reason})` : undefined;
const ref = (kind: string, plural: string, group = '', version = 'v1'): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
});
const [APPLICATIONS, SECRETS, EVENTS] = [
  ref('Application', 'applications', 'argoproj.io', 'v1alpha1'),
  ref('Secret', 'secrets'),
  ref('Event', 'events'),
];
const NUMBER = 7_777_123_459_018;

const [OTHERS, GIT, APPLIED, NOTED, BROKEN] = ['others', 'git', 'applied', 'noted', 'broken'].map(
  (name) => new Canary(name),
) as [Canary, Canary, Canary, Canary, Canary];
const ALL = [OTHERS, GIT, APPLIED, NOTED, BROKEN];

const secret = (name: string, content: JsonObject = {}, annotations: JsonObject = {}): string =>
  writeJson({ apiVersion: 'v1', kind: 'Secret', metadata: { name, annotations }, ...content });

/** Secrets that no server takes, as git has them. */
const INVALID: Readonly<Record<string, JsonObject>> = {
  'a-number-in-data': { data: { a: NUMBER, b: BROKEN.base64 } },
  'data-is-a-text': { data: BROKEN.plain },
  'no-base64': { data: { a: BROKEN.plain } },
  'a-number-in-string-data': { stringData: { a: NUMBER, b: BROKEN.plain } },
  'a-list-in-data': { data: { a: [BROKEN.plain, BROKEN.base64] } },
  'string-data-is-a-list': { stringData: [BROKEN.plain] },
  'a-large-value': { stringData: { a: BROKEN.plain.repeat(60_000) } },
  'an-unknown-field': { data: { a: BROKEN.base64 }, dataa: { b: BROKEN.plain } },
};

describe.skipIf(absent !== undefined)(
  `Secrets on a real API server${absent === undefined ? '' : ` (${absent})`}`,
  () => {
    let plane: ControlPlane;
    let lab: AccessLab;
    let controller: InProcessController;
    let repository: GitRepository;
    let reader = '';

    /** Server-side apply as somebody else. */
    const applyAs = async (manager: string, object: JsonObject & { metadata: { name: string } }): Promise<void> => {
      const agent = new Agent({ connect: { ca: plane.caPem } });
      const { statusCode, body } = await request(
        `${plane.url}/api/v1/namespaces/shop/secrets/${object.metadata.name}?fieldManager=${manager}&force=true`,
        {
          method: 'PATCH',
          dispatcher: agent,
          headers: { authorization: `Bearer ${plane.adminToken}`, 'content-type': 'application/apply-patch+yaml' },
          body: JSON.stringify(object),
        },
      );
      const said = await body.text();
      await agent.close();
      if (statusCode >= 300) throw new Error(`${statusCode}: ${said}`);
    };
    const deliver = async (name: string): Promise<void> => {
      await lab.cluster.create(APPLICATIONS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: {
          namespace: 'argocd',
          name,
          annotations: { 'argocd.argoproj.io/compare-options': 'IncludeMutationWebhook=true' },
        },
        spec: {
          project: 'default',
          source: { repoURL: repository.url, path: name, targetRevision: 'master' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
          syncPolicy: { automated: {}, retry: { limit: 1, backoff: { duration: '1s', factor: 1, maxDuration: '1s' } } },
        },
      });
    };
    const application = (name: string): Promise<KubeObject | undefined> =>
      lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name });
    const ended = (name: string): Promise<void> =>
      lab.until(`${name} is delivered, or not`, async () =>
        ['Succeeded', 'Failed', 'Error'].includes(
          textAt((await application(name)) ?? {}, 'status', 'operationState', 'phase'),
        ),
      );
    /** Everything that a reader can ask about an application and its Secret. */
    const everything = async (name: string, object: string): Promise<string> => {
      const which = `group=&version=v1&kind=Secret&namespace=shop&resourceName=${object}`;
      const paths = [
        '',
        '/resource-tree',
        '/managed-resources',
        '/manifests',
        '/rendered',
        '/server-side-diff',
        '/explain',
        '/waves',
        '/drift',
        '/values',
        '/events',
        '/links',
        `/resource?${which}`,
        `/resource/links?${which}`,
        `/resource/actions?${which}`,
        `/events?resourceName=${object}&resourceNamespace=shop`,
      ];
      const answers = await Promise.all(
        paths.map((path) => lab.request(`/api/v1/applications/${name}${path}`, { token: reader })),
      );
      return answers.map(({ status, text }, index) => `${paths[index] ?? ''} ${status} ${text}`).join('\n');
    };
    const diff = (name: string, targets: readonly string[], live: readonly string[] = []) =>
      lab.request(
        `/api/v1/applications/${name}/server-side-diff?` +
          new URLSearchParams([
            ...targets.map((target): [string, string] => ['targetManifests', target]),
            ...live.map((each): [string, string] => ['liveResources', each]),
          ]).toString(),
        { token: reader },
      );

    beforeAll(async () => {
      plane = await startRealControlPlane({ etcdFsync: false });
      lab = await AccessLab.open({ kubeconfig: plane.kubeconfigPath, allowsFileRepositories: true });
      await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
      repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
      await repository.write('vault/secret.yaml', secret('login', {}, { token: NOTED.plain }));
      await repository.write('git/secret.yaml', secret('keys', { stringData: { password: GIT.plain } }));
      for (const [name, content] of Object.entries(INVALID))
        await repository.write(`${name}/secret.yaml`, secret(name, content));
      await repository.commit();
      await lab.settings('argocd-cm', {
        'resource.sensitive.mask.annotations': 'token',
        'resource.links': '- {title: t, url: "https://example.com/{{ .resource.data | toJson | b64enc }}"}',
      });
      reader = (await lab.people(['reader'], ['g, reader, role:readonly'])).get('reader') ?? '';
      controller = await startInProcessController({ kubeconfigPath: plane.kubeconfigPath, namespace: 'argocd' });
      for (const name of ['vault', 'git', ...Object.keys(INVALID)]) await deliver(name);
      for (const name of ['vault', 'git']) await ended(name);
    });
    afterAll(async () => {
      await controller.stop();
      await lab.close();
      await repository.close();
      await plane.stop();
    });

    it('S7: a server-side diff shows nothing of what another manager put into a Secret', async () => {
      await applyAs('somebody', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login' },
        data: { password: OTHERS.base64 },
      });
      const bare = secret('login');
      await lab.until('the diff sees it', async () => (await diff('vault', [bare])).text.includes('++++'));
      for (const targets of [
        [],
        [bare],
        [secret('login', { data: { password: 'eA==' } })],
        [secret('login', { stringData: { other: 'x' } })],
        [bare.replace('"v1"', '"v1" ')],
        [`apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: shop}\n`],
      ]) {
        const { status, text, body } = await diff('vault', targets);
        expect([status, leaksIn(text, ALL)]).toEqual([200, []]);
        expect(textAt(objectsAt(body, 'items')[0] ?? {}, 'liveState')).toContain('++++');
      }
      expect(leaksIn(await everything('vault', 'login'), ALL)).toEqual([]);
      expect(leaksIn(await everything('git', 'keys'), ALL)).toEqual([]);
    });

    it('S7: only what belongs to the application is looked at', async () => {
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'foreign', namespace: 'shop' },
        data: { password: OTHERS.base64 },
      });
      const { status, text, body } = await diff('vault', [secret('foreign')]);
      expect([status, leaksIn(text, ALL)]).toEqual([200, []]);
      expect(objectsAt(body, 'items')[0]).toMatchObject({ name: 'foreign', liveState: 'null' });
      expect(text).not.toContain('++++');
    });

    it('S8: nor what annotations, the fields of managers and a list of sensitive annotations hold', async () => {
      const applied = secret('login', { data: { password: APPLIED.base64 }, stringData: { more: APPLIED.plain } });
      await lab.cluster.patch(
        SECRETS,
        { namespace: 'shop', name: 'login' },
        {
          type: 'merge',
          body: { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } } },
        },
      );
      const live = await lab.cluster.get(SECRETS, { namespace: 'shop', name: 'login' });
      expect(leaksIn(JSON.stringify(live), [APPLIED, NOTED, OTHERS]).length).toBeGreaterThan(2);
      for (const targets of [
        [],
        [secret('login')],
        [secret('login', { stringData: { more: APPLIED.plain } }, { token: NOTED.plain })],
        [secret('login', {}, { 'kubectl.kubernetes.io/last-applied-configuration': applied })],
        [secret('login', {}, { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":${APPLIED.plain}` })],
      ]) {
        const { status, text } = await diff('vault', targets);
        expect([status, leaksIn(text, ALL)]).toEqual([200, []]);
      }
      expect(leaksIn(await everything('vault', 'login'), ALL)).toEqual([]);
    });

    it('S9: what a request calls an object decides nothing', async () => {
      const inner = JSON.parse(secret('login')) as JsonObject;
      const spoofed = writeJson({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'login', liveState: '' });
      const lying = writeJson({
        group: '',
        kind: 'ConfigMap',
        namespace: 'shop',
        name: 'login',
        liveState: writeJson({ ...inner, metadata: { name: 'login', namespace: 'shop' } }),
      });
      const lists = ['List', 'SecretList', 'ConfigMap'].map((kind) =>
        writeJson({ apiVersion: 'v1', kind, metadata: { name: 'login' }, items: [inner] }),
      );
      const kinds = ['secret', 'Secret ', 'SECRET'].map((kind) => writeJson({ ...inner, kind }));
      const versions = ['v1beta1', '/v1', 'core/v1'].map((apiVersion) => writeJson({ ...inner, apiVersion }));
      expect((await diff('vault', [secret('login')], [lying])).status).toBe(400);
      for (const [targets, live] of [
        [[secret('login')], [spoofed]],
        ...[...lists, ...kinds, ...versions].map((target) => [[target], []]),
      ] as [string[], string[]][]) {
        const { status, text } = await diff('vault', targets, live);
        expect([targets, [200, 400, 403, 404].includes(status), leaksIn(text, ALL)]).toEqual([targets, true, []]);
      }
    });

    it.each(Object.keys(INVALID))('S10: a Secret that cannot be delivered is quoted nowhere: %s', async (name) => {
      await ended(name);
      const shown = [
        JSON.stringify(await application(name)),
        await everything(name, name),
        (await lab.request('/metrics', { token: await lab.token() })).text,
        await controller.metrics(),
      ].join('\n');
      expect(leaksIn(shown, ALL)).toEqual([]);
      expect(shown).not.toContain(String(NUMBER));
      expect(textAt((await application(name)) ?? {}, 'status', 'operationState', 'message')).toMatch(
        /Secret|successfully/,
      );
    });

    it('S7 to S10: no event and no line of a log has a secret', async () => {
      const { items } = await lab.cluster.list(EVENTS);
      const shown = [...items.map((event) => JSON.stringify(event)), ...controller.log, ...lab.log].join('\n');
      expect(items.length).toBeGreaterThan(5);
      expect(leaksIn(shown, ALL)).toEqual([]);
      expect(shown).not.toContain(String(NUMBER));
      expect(isObject(await application('vault'))).toBe(true);
    });
  },
);
