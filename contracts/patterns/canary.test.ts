import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterError } from '../../src/cluster/index.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { CanaryScan } from './canary.js';
import { CanaryChain, ALLOWED_PLACES } from './canary-chain.js';
import { CANARIES, CanaryLab, GIT_USER } from './canary-lab.js';
import { findCanaries } from './canary-places.js';
import { WATCHED_SERVERS } from './canary-servers.js';
import { APPLICATIONS, CONFIG_MAPS, EVENTS, SECRETS } from '../../src/model/resources/index.js';

// Credentials that nobody but their Secrets may have travel the whole way, and then everything is searched for them.
const LONG = 20 * 60_000;
// `npm run prove -- whole-suites` plays it on the real server too.
const servers = await Promise.all(
  WATCHED_SERVERS.filter(({ name }) => IS_WHOLE || name === 'embedded').map(async (server) => ({
    ...server,
    absent: await server.missing(),
  })),
);
const READ_COMMANDS = [
  'app list -o json',
  'app get platform -o yaml',
  'app get storage -o tree=detailed --show-operation',
  'app history platform',
  'triage -o json',
  'triage -o md',
  'health verify -n argocd',
];
/** They clone the repository themselves. */
const COMPARE_COMMANDS = [
  'app diff storage',
  'app resources storage -o tree=detailed',
  'app manifests platform --source live',
  'app waves platform --check',
];

describe.each(servers)('credentials on $name', ({ name, open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let lab: CanaryLab;
  let chain: CanaryChain;
  beforeAll(async () => {
    lab = await CanaryLab.open(open);
    chain = new CanaryChain(lab, name === 'real');
    await chain.open();
  }, LONG);
  afterAll(() => lab.close());

  it(
    'of Gitea open a repository that a controller clones, also after they have changed',
    async () => {
      await chain.openRepository();
      const revision = await chain.rotate();
      expect((await lab.cluster.get(CONFIG_MAPS, { namespace: 'platform', name: 'notes' }))?.data, revision).toEqual({
        text: 'two',
      });
    },
    LONG,
  );

  it(
    'of a file become a Secret',
    async () => {
      const file = lab.file('.env', `S3_KEY='${CANARIES.s3.value}'\nGITEA_PASSWORD=\n`);
      const words = (envFile: string, wish: string): string[] => [
        'secrets',
        'load',
        '--env-file',
        envFile,
        '-n',
        'ml',
        '--secret',
        wish,
      ];
      expect(await lab.run(words(file, 'model-storage=key:S3_KEY'))).toMatchObject({
        code: 0,
        text: expect.stringContaining('secret/model-storage created (key)') as string,
      });
      expect(await chain.value('ml', 'model-storage', 'key')).toBe(CANARIES.s3.value);
      const load = (envFile: string, wish: string): Promise<{ readonly code: number }> =>
        lab.runInProcess(words(envFile, wish));
      expect(await load(file, 'model-storage=key:S3_KEY')).toMatchObject({
        code: 0,
        text: expect.stringContaining('unchanged') as string,
      });
      expect(await load(file, 'other=key:MISSING')).toMatchObject({ code: 20 });
      expect(
        await load(lab.file('broken.env', `S3_KEY='${CANARIES.broken.value}\n`), 'other=key:S3_KEY'),
      ).toMatchObject({ code: 20 });
      await chain.application('storage', 'ml', {});
      await chain.untilStatus('storage', ({ sync }) => JSON.stringify(sync ?? '').includes('OutOfSync'));
    },
    LONG,
  );

  it(
    'that a server refuses are not in its answer',
    async () => {
      const { value } = CANARIES.s3;
      const docker = { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': value } };
      for (const [title, wrong] of Object.entries({
        'no base64': { data: { key: `?${value}` } },
        'a key that is none': { stringData: { 'a key': value } },
        'no login': docker,
        'a taken name': { stringData: { key: value } },
      })) {
        const name = title === 'a taken name' ? 'model-storage' : 'refused';
        const refusal = await lab.cluster
          .create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'ml' }, ...wrong })
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        expect(refusal, title).toBeInstanceOf(ClusterError);
        lab.printed.push({ words: `refusal of ${title}`, code: 0, text: String(refusal) });
      }
    },
    LONG,
  );

  it(
    'of a client go from Keycloak to Vault, and from there into argocd-secret',
    async () => {
      const values = lab.file(
        'values.yaml',
        'clientPatcher: {secretExtraction: {clients: [{clientId: argocd, vaultKey: argocd-dex-client-secret}]}}\n',
      );
      const extract = (password: string): Promise<{ readonly code: number }> =>
        lab.run(
          [
            'secrets',
            'extract',
            '-f',
            values,
            '--keycloak',
            lab.urls.keycloak,
            '--realm',
            'ameide',
            '--vault',
            lab.urls.vault,
          ],
          {
            KEYCLOAK_ADMIN_USER: 'admin',
            KEYCLOAK_ADMIN_PASSWORD_FILE: lab.file('password', password),
            VAULT_TOKEN_FILE: lab.file('token', lab.vaultToken.value),
          },
        );
      expect(await extract(CANARIES.wrong.value)).toMatchObject({
        code: 20,
        text: expect.stringContaining('Keycloak does not let the administrator in') as string,
      });
      expect(await extract(CANARIES.keycloak.value)).toMatchObject({
        code: 0,
        text: expect.stringContaining('secret/argocd-dex-client-secret written') as string,
      });
      await chain.bringClientSecret();
    },
    LONG,
  );

  it(
    'appear nowhere but in their Secrets',
    async () => {
      for (const words of READ_COMMANDS) await lab.runInProcess(words.split(' '));
      await Promise.all(COMPARE_COMMANDS.map((words) => lab.run(words.split(' '))));
      expect(
        lab.printed.filter(({ words, code }) => [...READ_COMMANDS, ...COMPARE_COMMANDS].includes(words) && code === 20),
      ).toEqual([]);
      expect(lab.printed.find(({ words }) => words === 'app diff storage')?.text).toMatch(/\+{8}/);
      expect(lab.versions.size).toBeGreaterThan(20);
      if (name === 'real')
        expect(readFileSync(join(lab.server.folder, 'audit.log'), 'utf8')).toContain(
          '"resource":"secrets","namespace":"ml","name":"model-storage"',
        );
      const seen = [...lab.eyes.captured].join('\n');
      for (const program of [
        'git remote-http',
        'main.js controller',
        'secrets load',
        'secrets extract',
        'app diff storage',
      ])
        expect(seen).toContain(program);
      expect(
        await findCanaries(lab, new CanaryScan([...Object.values(CANARIES), lab.vaultToken]), ALLOWED_PLACES),
      ).toEqual([]);
    },
    LONG,
  );

  it(
    'would be found wherever they are',
    async () => {
      const { value } = CANARIES.planted;
      const login = Buffer.from(`${GIT_USER}:${value}`).toString('base64');
      const { cluster, server, controller } = lab;
      await cluster.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'planted', namespace: 'ml' },
        data: { header: `Authorization: Basic ${login}` },
      });
      await cluster.create(EVENTS, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'planted', namespace: 'ml' },
        involvedObject: { kind: 'Secret', name: 'x', namespace: 'ml' },
        reason: 'Planted',
        message: `https://x:${encodeURIComponent(value)}@example.com`,
      });
      await cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'planted', namespace: 'ml' },
        stringData: { key: value },
      });
      await cluster.patch(
        SECRETS,
        { namespace: 'ml', name: 'model-storage' },
        { type: 'merge', body: { metadata: { annotations: { note: value } } } },
      );
      await cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'storage' },
        { type: 'merge', body: { metadata: { annotations: { note: value } } } },
      );
      writeFileSync(join(server.folder, 'planted'), value);
      writeFileSync(join(controller.options.dir, 'planted'), Buffer.from(value).toString('hex'));
      appendFileSync(controller.logPath, `${value}\n`);
      const child = spawn('sleep', ['60'], { argv0: value, stdio: 'ignore' });
      await lab.until('it runs', () => {
        lab.eyes.inspect();
        return Promise.resolve([...lab.eyes.captured].some((process) => process.startsWith(value)));
      });
      child.kill();
      await lab.runInProcess(['app', 'get', 'storage', '-o', 'yaml']);
      expect(await findCanaries(lab, new CanaryScan(Object.values(CANARIES)), ALLOWED_PLACES)).toEqual(
        [
          'Application argocd/storage: planted',
          'ConfigMap ml/planted: planted',
          'Event ml/planted: planted',
          'Secret ml/model-storage: planted',
          'Secret ml/planted: planted',
          'argosy app get storage -o yaml: planted',
          'controller:controller.log: planted',
          'controller:planted: planted',
          `process ${value.slice(0, 25)}: planted`,
          'server:planted: planted',
          'table of events: planted',
          'version of Application argocd/storage: planted',
          'version of ConfigMap ml/planted: planted',
          'version of Event ml/planted: planted',
        ].sort(),
      );
    },
    LONG,
  );
});
