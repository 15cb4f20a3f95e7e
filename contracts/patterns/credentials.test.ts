import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../src/cli/secrets/load.js';
import { isObject, own, type JsonObject } from '../../src/model/json/index.js';
import { PatternsLab } from './patterns-lab.js';
import { APPLICATIONS, CONFIG_MAPS, EVENTS, SECRETS, type ResourceRef } from '../../src/model/resources/index.js';

// Credentials that an object of the cluster knows reach the Secrets that ask for them, and nobody else sees them.
const GITEAS: ResourceRef = { group: 'pfe.rhpds.com', version: 'v1', kind: 'Gitea', plural: 'gitea', namespaced: true };
const FILL_REQUEST =
  '{object: {group: pfe.rhpds.com, kind: Gitea, namespace: gitea, name: gitea-with-admin}, keys: {username: ' +
  '.spec.giteaAdminUser, password: .status.adminPassword}}';
const RULES =
  '- {from: {group: pfe.rhpds.com, kind: Gitea, namespace: gitea, name: "*"}, fields: ' +
  '[.spec.giteaAdminUser, .status.adminPassword], to: {namespaces: [platform, argocd]}}';
const LONG = 120_000;

let lab: PatternsLab;
let password = '';
beforeAll(async () => {
  lab = await PatternsLab.open(join(import.meta.dirname, 'first-install'), 'chart');
  password = lab.outside.get('gitPassword') ?? '';
  for (const name of ['gitea', 'platform', 'elsewhere']) await lab.lab.namespace(name);
  await lab.lab.cluster.create(GITEAS, {
    apiVersion: 'pfe.rhpds.com/v1',
    kind: 'Gitea',
    metadata: { name: 'gitea-with-admin', namespace: 'gitea' },
    spec: {
      giteaSsl: true,
      giteaAdminUser: lab.outside.get('gitUser') ?? '',
      giteaAdminPassword: password,
      giteaAdminEmail: 'admin@example.com',
    },
  });
}, LONG);
afterAll(() => lab.close());

const read = async (namespace: string, name: string): Promise<Record<string, string>> => {
  const data = (await lab.lab.cluster.get(SECRETS, { namespace, name }))?.data;
  return isObject(data)
    ? Object.fromEntries(
        Object.keys(data).map((key) => [key, Buffer.from(String(own(data, key)), 'base64').toString()]),
      )
    : {};
};
const requestFill = (
  namespace: string,
  name: string,
  more: { labels?: Record<string, string>; stringData?: JsonObject } = {},
): Promise<unknown> =>
  lab.lab.cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      annotations: { 'argosy.dev/fill-from': FILL_REQUEST },
      ...(more.labels === undefined ? {} : { labels: more.labels }),
    },
    ...(more.stringData === undefined ? {} : { stringData: more.stringData }),
  });
const events = async (namespace: string): Promise<string[]> =>
  (await lab.lab.cluster.list(EVENTS, { namespace })).items
    .filter(({ source }) => isObject(source) && source.component === 'argosy')
    .map(({ reason, message }) => `${String(reason)}: ${String(message)}`);

describe('credentials', () => {
  it(
    'are filled only where the list of the administrator allows it, and kept up to date',
    async () => {
      await requestFill('platform', 'gitea-credentials-source');
      await requestFill('elsewhere', 'gitea-credentials-source');
      await lab.lab.cluster.apply(
        CONFIG_MAPS,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'argocd-cmd-params-cm',
            namespace: 'argocd',
            labels: { 'app.kubernetes.io/part-of': 'argocd' },
          },
          data: { 'argosy.fill-from': RULES },
        },
        { force: true },
      );
      await lab.lab.until(
        'it is filled',
        async () => (await read('platform', 'gitea-credentials-source'))['password'] === password,
      );
      expect(await read('platform', 'gitea-credentials-source')).toEqual({
        username: lab.outside.get('gitUser'),
        password,
      });
      await lab.lab.cluster.patch(
        SECRETS,
        { namespace: 'platform', name: 'gitea-credentials-source' },
        { type: 'merge', body: { data: { password: 'd3Jvbmc=' } } },
      );
      await lab.lab.until(
        'it is put right',
        async () => (await read('platform', 'gitea-credentials-source'))['password'] === password,
      );
      expect(await read('elsewhere', 'gitea-credentials-source')).toEqual({});
      await lab.lab.until('it is told', async () =>
        (await events('platform')).some(
          (line) => line === 'CredentialsFilled: username, password filled from Gitea gitea/gitea-with-admin',
        ),
      );
    },
    LONG,
  );

  it(
    'of repositories may come from there',
    async () => {
      const url = lab.outside.get('gitOpsRepository') ?? '';
      await lab.lab.cluster.create(APPLICATIONS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: 'gpu', namespace: 'argocd' },
        spec: {
          project: 'default',
          source: { repoURL: url, path: 'gitops/stage00-gpu-infrastructure', targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'platform' },
          syncPolicy: { automated: {} },
        },
      });
      await lab.until('gpu', ({ conditions }) => JSON.stringify(conditions ?? '').includes('ComparisonError'));
      await requestFill('argocd', 'platform-repository', {
        labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        stringData: { type: 'git', url },
      });
      await lab.lab.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'gpu' },
        { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
      );
      await lab.until(
        'gpu',
        ({ sync, health }) =>
          isObject(sync) && sync.status === 'Synced' && isObject(health) && health.status === 'Healthy',
      );
    },
    LONG,
  );

  it(
    'of a file and of Gitea are loaded without being shown',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'argosy-load-'));
      try {
        writeFileSync(join(folder, '.env'), 'GITEA_USER=somebody\nGITEA_PASSWORD=\nS3_KEY="CANARY-env"\n');
        const lines: string[] = [];
        const load = (secret: readonly string[]): Promise<void> =>
          loadSecrets(
            lab.lab.cluster,
            { envFile: join(folder, '.env'), namespace: 'elsewhere', secret, gitea: 'gitea/gitea-with-admin' },
            (line) => {
              lines.push(line);
            },
          );
        await load([]);
        await load(['storage=key:S3_KEY', 'gitea-credentials-source=username:GITEA_USER,password:GITEA_PASSWORD']);
        expect(lines).toEqual([
          'GITEA_PASSWORD is read from Gitea gitea/gitea-with-admin',
          'secret/gitea-credentials-source configured (username, password)',
          'GITEA_PASSWORD is read from Gitea gitea/gitea-with-admin',
          'secret/storage created (key)',
          'secret/gitea-credentials-source unchanged (username, password)',
        ]);
        expect(await read('elsewhere', 'gitea-credentials-source')).toEqual({ username: 'somebody', password });
        expect(await read('elsewhere', 'storage')).toEqual({ key: 'CANARY-env' });
        await expect(load(['x=a:MISSING'])).rejects.toThrow('MISSING has no value');
        // The file of a platform that was installed again has the password of the one before.
        writeFileSync(
          join(folder, '.env'),
          `GITEA_USER=${lab.outside.get('gitUser') ?? ''}\nGITEA_PASSWORD=CANARY-old\n`,
        );
        await load([]);
        expect(lines.slice(5)).toEqual([
          'GITEA_PASSWORD of the file is not what Gitea gitea/gitea-with-admin has: that of Gitea is used',
          'secret/gitea-credentials-source configured (username, password)',
        ]);
        expect(await read('elsewhere', 'gitea-credentials-source')).toEqual({
          username: lab.outside.get('gitUser'),
          password,
        });
        // Of other users Gitea says nothing.
        writeFileSync(join(folder, '.env'), 'GITEA_USER=bot\nGITEA_PASSWORD=CANARY-bot\n');
        await load(['bot=username:GITEA_USER,password:GITEA_PASSWORD']);
        expect(await read('elsewhere', 'bot')).toEqual({ username: 'bot', password: 'CANARY-bot' });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LONG,
  );

  it(
    'appear nowhere but in their Secrets',
    async () => {
      const { kinds } = await lab.lab.cluster.discover();
      const shown: string[] = [];
      for (const kind of kinds.filter(({ verbs, preferred }) => verbs.includes('list') && preferred)) {
        if (kind.kind === 'Secret' || kind.kind === 'Gitea') continue;
        const { items } = await lab.lab.cluster.list(kind);
        shown.push(
          ...items
            .filter((object) =>
              [password, Buffer.from(password).toString('base64'), 'CANARY'].some((canary) =>
                JSON.stringify(object).includes(canary),
              ),
            )
            .map(({ metadata }) => `${kind.kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
        );
      }
      expect(shown).toEqual([]);
      expect(lab.lab.controller.log.filter((line) => line.includes(password) || line.includes('CANARY'))).toEqual([]);
      const wider = (await lab.lab.cluster.list(SECRETS)).items.filter((secret) =>
        JSON.stringify(secret.metadata).includes(password),
      );
      expect(wider).toEqual([]);
    },
    LONG,
  );
});
