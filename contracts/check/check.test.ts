import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollDelays } from '../harness/poll-delays.js';
import { loadCatalogue, inspectMany } from '../../src/control/index.js';
import { systemClock } from '../../src/cluster/index.js';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { Connection } from '../apiserver/connection.js';
import { openAppLab, type AppLab, type Ran } from '../cli/app-lab.js';
import { Api } from '../deliver/api.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import { APPLICATIONS } from '../../src/model/resources/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKER = join(ROOT, 'dist/render-worker.js');
const WITHIN = 60_000;
const LONG = 120_000;
const WHY = 'the mesh operator rewrites it';

/** Three applications of one repository: one drifts because an operator writes, two have the same object. */
class CheckLab {
  private constructor(
    readonly lab: AppLab,
    readonly repository: GitRepository,
    readonly controller: InProcessController,
    private readonly data: string,
  ) {}

  static async open(): Promise<CheckLab> {
    const lab = await openAppLab();
    const repository = await GitRepository.open('/nonexistent', [], (text) => text);
    const map = (name: string, value: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {servers: ${value}}\n`;
    await repository.write('mesh/gateway.yaml', map('gateway', 'two'));
    await repository.write(
      'registry/secrets.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: filled-later}\nstringData: {password: ""}\n',
    );
    await repository.write(
      'serving/secrets.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: known}\nstringData: {password: hunter2, user: ""}\n',
    );
    for (const folder of ['registry', 'serving'])
      await repository.write(`${folder}/settings.yaml`, map('settings', 'same'));
    await repository.commit();
    const controller = await startInProcessController({ kubeconfigPath: lab.kubeconfig, namespace: 'argocd' });
    return new CheckLab(lab, repository, controller, mkdtempSync(join(tmpdir(), 'argosy-check-')));
  }

  async deliver(name: string, syncPolicy: object): Promise<void> {
    await this.lab.create(name, {
      spec: { source: { repoURL: this.repository.url, path: name, targetRevision: 'master' }, syncPolicy },
    });
  }

  /** What an operator does: it writes a field that git states too. */
  async operate(): Promise<void> {
    const connection = new Connection(this.lab.kubeconfig);
    await new Api(connection).patch(
      { kind: 'ConfigMap', namespace: 'shop', name: 'gateway' },
      { data: { servers: 'five' } },
      'merge',
      '?fieldManager=mesh-operator',
    );
    await connection.close();
  }

  annotate(name: string, annotations: Record<string, string | null>): Promise<unknown> {
    return this.lab.cluster.patch(
      APPLICATIONS,
      { namespace: 'argocd', name },
      { type: 'merge', body: { metadata: { annotations } } },
    );
  }

  /** Waits for a state of an application; says how it stayed where it never comes. */
  async until(name: string, holds: (status: JsonObject, conditions: readonly JsonObject[]) => boolean): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const found = await this.lab.get(name);
      const status = isObject(found?.status) ? found.status : {};
      if (holds(status, isArray(status.conditions) ? status.conditions.filter(isObject) : [])) return;
      if (Date.now() > end) throw new Error(`${name} stays ${JSON.stringify(status)}`);
    }
  }

  /** A command that looks as the real one does. */
  run(...argv: string[]): Promise<Ran> {
    return this.lab.run(argv, {
      inspectMany: (cluster, applications, { namespace }) =>
        inspectMany(applications, {
          cluster,
          namespace,
          log: NO_LOG,
          data: this.data,
          world: { clock: systemClock, random: Math.random, report: () => undefined },
          environment: { PATH: process.env['PATH'] },
          version: '0.0.0',
          profile: 'kubernetes',
          catalogue: loadCatalogue(join(ROOT, 'catalogue')),
          renderWorker: pathToFileURL(WORKER),
          remoteHosts: [],
          fileRepositories: [tmpdir()],
          isReadOnly: true,
        }),
    });
  }

  async close(): Promise<void> {
    await this.controller.stop();
    await this.repository.close();
    await this.lab.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}

interface Answer {
  readonly applications: readonly {
    readonly name: string;
    readonly lines: readonly {
      readonly rule: string;
      readonly state: string;
      readonly object: string;
      readonly field: string;
      readonly where: string;
      readonly message: string;
      readonly add: string;
    }[];
  }[];
  readonly summary: { readonly fails: number; readonly accepted: number; readonly accepts: object };
}

const syncedRevision = ({ sync }: JsonObject): unknown => (isObject(sync) ? sync.revision : undefined);
const isSynced = ({ sync }: JsonObject, status: string): boolean => isObject(sync) && sync.status === status;

describe.skipIf(!existsSync(WORKER))('the checklist of applications on the embedded cluster', () => {
  let at: CheckLab;
  const check = async (...flags: string[]): Promise<{ readonly code: number; readonly answer: Answer }> => {
    const { code, out } = await at.run('check', ...flags, '--branch', 'master', '-o', 'json');
    return { code, answer: JSON.parse(out) as Answer };
  };
  const line = (
    { applications }: Answer,
    name: string,
    rule: string,
  ): Answer['applications'][number]['lines'][number] | undefined =>
    applications.find((each) => each.name === name)?.lines.find((each) => each.rule === rule);

  beforeAll(async () => {
    at = await CheckLab.open();
    for (const name of ['mesh', 'registry']) await at.deliver(name, { automated: { prune: true } });
    for (const name of ['mesh', 'registry']) await at.until(name, (status) => isSynced(status, 'Synced'));
    await at.deliver('serving', {});
    await at.operate();
    await at.until('mesh', (status) => isSynced(status, 'OutOfSync'));
    await at.until('serving', (_, conditions) => conditions.some(({ type }) => type === 'SharedResourceWarning'));
  }, LONG);
  afterAll(() => at.close(), LONG);

  it(
    'what deviates fails, with the object, the field, its place in git and the rule to add',
    async () => {
      const { code, answer } = await check('--all');
      expect(code).toBe(1);
      expect(line(answer, 'registry', 'synced')).toMatchObject({ state: 'holds' });
      expect(line(answer, 'mesh', 'synced')).toMatchObject({
        state: 'fails',
        object: 'ConfigMap shop/gateway',
        field: '/data/servers',
        where: 'mesh/gateway.yaml:1',
        message: 'differs from git; mesh-operator overwrites /data/servers',
      });
      expect(line(answer, 'mesh', 'synced')?.add).toBe(
        'spec:\n  ignoreDifferences:\n  - jsonPointers:\n    - /data/servers\n    kind: ConfigMap\n    ' +
          'name: gateway\n    namespace: shop\n  syncPolicy:\n    syncOptions:\n    - ' +
          'RespectIgnoreDifferences=true\n',
      );
      expect(line(answer, 'serving', 'shared')).toMatchObject({
        state: 'fails',
        message: 'ConfigMap/settings is part of applications argocd/serving and registry',
      });
      expect((await at.run('app', 'list')).err).toBe('');
    },
    LONG,
  );

  it(
    'a Secret whose values are in git fails, one that is filled later does not, and nothing of it is printed',
    async () => {
      const { answer } = await check('--all');
      expect(line(answer, 'registry', 'no-secrets')).toMatchObject({ state: 'holds' });
      expect(line(answer, 'serving', 'no-secrets')).toMatchObject({
        state: 'fails',
        object: 'Secret shop/known',
        where: 'serving/secrets.yaml:1',
      });
      expect(line(answer, 'serving', 'no-secrets')?.field).toMatch(/^\/(?:stringData|data)\/password$/);
      expect(JSON.stringify(answer)).not.toMatch(/hunter2|aHVudGVyMg/);
      await at.repository.remove('serving/secrets.yaml');
      const revision = await at.repository.commit();
      // A new commit is delivered to the application that deviates; its operator writes again.
      await at.until('mesh', (status) => isSynced(status, 'Synced') && syncedRevision(status) === revision);
      await at.operate();
      await at.until('mesh', (status) => isSynced(status, 'OutOfSync'));
    },
    LONG,
  );

  it(
    'without a reason nothing is accepted, and the application says so',
    async () => {
      await at.annotate('mesh', { 'argosy.dev/accept': 'OutOfSync' });
      const sentence =
        'Application mesh: annotation argosy.dev/accept has no reason, so nothing is accepted: give one in ' +
        'argosy.dev/accept-reason';
      await at.until('mesh', (_, conditions) =>
        conditions.some(({ type, message }) => type === 'AnnotationWarning' && message === sentence),
      );
      const { code, answer } = await check('mesh');
      expect([code, line(answer, 'mesh', 'synced')?.state]).toEqual([1, 'fails']);
      expect(line(answer, 'mesh', 'accepted')).toMatchObject({ state: 'fails', message: sentence });
      expect(await at.controller.metrics()).not.toContain('argosy_app_accepted{');
    },
    LONG,
  );

  it(
    'with a reason it is counted apart in check, list, get and the metrics, and shown as it is',
    async () => {
      await at.annotate('mesh', { 'argosy.dev/accept-reason': WHY });
      await at.annotate('serving', {
        'argosy.dev/accept': 'OutOfSync, SharedResourceWarning',
        'argosy.dev/accept-reason': 'both need the settings',
      });
      await at.until('mesh', (_, conditions) => !conditions.some(({ type }) => type === 'AnnotationWarning'));
      const { code, answer } = await check('--all');
      expect(answer.summary).toMatchObject({
        fails: 0,
        accepted: 3,
        accepts: { OutOfSync: 2, SharedResourceWarning: 1 },
      });
      expect(line(answer, 'mesh', 'synced')).toMatchObject({
        state: 'accepted',
        message: `OutOfSync, accepted because ${WHY}: ConfigMap shop/gateway /data/servers`,
      });
      expect(code).toBe(0);
      const { out, err } = await at.run('app', 'list');
      const rows = out.split('\n').map((row) => row.trimEnd().split(/\s{2,}/));
      expect(rows.map((cells) => [cells[0], cells[4], cells.at(-1)]).slice(0, 4)).toEqual([
        ['NAME', 'STATUS', 'ACCEPTED'],
        ['argocd/mesh', 'OutOfSync', 'OutOfSync'],
        ['argocd/registry', 'Synced', '<none>'],
        ['argocd/serving', 'OutOfSync', 'OutOfSync,SharedResourceWarning'],
      ]);
      expect(err).toBe('accepted: 2 of 2 OutOfSync, 1 of 1 SharedResourceWarning (argosy check --all says why)\n');
      expect((await at.run('app', 'get', 'mesh')).out).toContain(`Accepted:           OutOfSync (${WHY})\n`);
      expect(await at.controller.metrics()).toContain(
        'argosy_app_accepted{namespace="argocd",name="mesh",deviation="OutOfSync"} 1\n',
      );
    },
    LONG,
  );

  it(
    'what it says to add makes the application Synced',
    async () => {
      await at.annotate('mesh', { 'argosy.dev/accept': null, 'argosy.dev/accept-reason': null });
      const { answer: before } = await check('mesh');
      const body = readOneYaml(line(before, 'mesh', 'synced')?.add ?? '', { dialect: 'kubernetes' }) as JsonObject;
      await at.lab.cluster.patch(APPLICATIONS, { namespace: 'argocd', name: 'mesh' }, { type: 'merge', body });
      await at.until('mesh', (status) => isSynced(status, 'Synced'));
      const { answer } = await check('mesh');
      expect(
        ['synced', 'healthy', 'no-errors', 'branch', 'no-secrets', 'narrow-rules', 'respected-rules'].map(
          (rule) => line(answer, 'mesh', rule)?.state,
        ),
      ).toEqual(Array.from({ length: 7 }, () => 'holds'));
    },
    LONG,
  );

  it(
    'an application that is not there, or a cluster without any, is told',
    async () => {
      expect(await at.run('check', 'nothing')).toMatchObject({ code: 20, out: '' });
      expect(await at.run('check', '--all', '-N', 'team')).toMatchObject({ code: 20, out: '' });
    },
    LONG,
  );
});

if (!existsSync(WORKER))
  it.skip('skipped: the checklist on the embedded cluster (dist is not built: npm run build)', () => {
    /* the name says why */
  });
