import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOW, openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { CliHost } from '../host/cli-host.js';
import type { AppSession } from '../session/app-session.js';
import { wait } from './wait.js';
import { APP_PROJECTS } from '../../model/resources/index.js';

const REVISION = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const SOURCE = { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' };
const AT = '2026-10-06T12:00:00Z';
const web = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const config = { version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
});
afterAll(() => lab.close());

const isAsked = (application: KubeObject): boolean => application['operation'] !== undefined;
const status = (more: object = {}): object => ({
  sync: { status: 'OutOfSync', revision: REVISION, comparedTo: { source: SOURCE, destination: {} } },
  health: { status: 'Progressing' },
  reconciledAt: AT,
  resources: [
    { ...web, status: 'OutOfSync' },
    { ...config, status: 'Synced' },
  ],
  ...more,
});
const synced = {
  sync: { status: 'Synced', revision: REVISION, comparedTo: { source: SOURCE, destination: {} } },
  health: { status: 'Healthy' },
};
const state = (phase: string, more: object = {}, results: object[] = []): object => ({
  operation: { sync: {} },
  phase,
  startedAt: AT,
  syncResult: { revision: REVISION, source: SOURCE, resources: results },
  ...more,
});
const row = (more: object): object => ({ ...web, syncPhase: 'Sync', ...more });

/** Plays the controller: takes the operation, and writes each status in turn; the last ones without it. */
async function controller(name: string, ...statuses: object[]): Promise<unknown> {
  let taken: unknown;
  await lab.when(name, isAsked, async () => {
    const operation = (taken = (await lab.get(name))?.['operation']);
    for (const [index, each] of statuses.entries())
      await lab.write(name, { operation: index < statuses.length - 1 ? operation : undefined, status: each });
  });
  return taken;
}

describe('app sync', () => {
  it('starts the operation, prints its progress and its result', async () => {
    await lab.create('one', {
      spec: { syncPolicy: { syncOptions: ['PruneLast=true'], retry: { limit: 2 } } },
      status: status(),
    });
    const played = controller(
      'one',
      status({
        operationState: state('Running', { message: 'waiting for healthy state of apps/Deployment/web' }, [
          row({ hookPhase: 'Running', message: 'deployment.apps/web configured' }),
        ]),
      }),
      status({
        operationState: state('Running', { message: 'waiting for healthy state of apps/Deployment/web' }, [
          row({ hookPhase: 'Running', message: 'deployment.apps/web configured' }),
        ]),
        resources: [
          { ...web, status: 'Synced', health: { status: 'Progressing' } },
          { ...config, status: 'Synced' },
        ],
      }),
      status({
        ...synced,
        operationState: state('Succeeded', { finishedAt: AT, message: 'successfully synced (all tasks run)' }, [
          row({ status: 'Synced', hookPhase: 'Succeeded', message: 'deployment.apps/web configured' }),
        ]),
        resources: [
          { ...web, status: 'Synced', health: { status: 'Healthy' } },
          { ...config, status: 'Synced' },
        ],
      }),
    );
    const [{ code, out, err }, taken] = await Promise.all([
      lab.run(['app', 'sync', 'one', '--prune', '--info', 'why=because', '--force']),
      played,
    ]);
    expect(taken).toEqual({
      initiatedBy: { username: 'kim' },
      info: [{ name: 'why', value: 'because' }],
      retry: { limit: 2 },
      sync: { prune: true, source: SOURCE, syncOptions: ['PruneLast=true'], syncStrategy: { hook: { force: true } } },
    });
    expect([code, err.startsWith('context ')]).toEqual([0, true]);
    const [rows = '', summary = '', operation = '', table = ''] = out.split('\n\n');
    expect(rows.split('\n')[0]).toMatch(/^TIMESTAMP +GROUP +KIND +NAMESPACE +NAME +STATUS +HEALTH +HOOK +MESSAGE$/);
    expect(rows).toMatch(/^2026-10-06T12:00:00\+00:00 +apps +Deployment +shop +web +OutOfSync$/m);
    expect(rows).toMatch(/^2026-10-06T12:00:00\+00:00 +ConfigMap +shop +settings +Synced$/m);
    expect(rows).toMatch(/ +web +Synced +Progressing +deployment\.apps\/web configured$/m);
    expect(
      rows.match(/^2026-10-06T12:00:00\+00:00 {2}waiting for healthy state of apps\/Deployment\/web$/gm),
    ).toHaveLength(1);
    expect(summary).toContain('Sync Status:        Synced to main (1a2b3c4)');
    expect(operation).toContain('Operation:          Sync\nSync Revision:      1a2b3c4');
    expect(operation).toContain('Phase:              Succeeded\n');
    expect(table).toContain('apps   Deployment  shop       web       Synced  Healthy');
  });

  it('passes its flags to the operation', async () => {
    await lab.create('flags', { status: status() });
    const asked = async (...flags: string[]): Promise<unknown> => {
      expect((await lab.run(['app', 'sync', 'flags', '--async', ...flags])).code).toBe(0);
      const { operation } = (await lab.get('flags'))! as unknown as { operation: { sync: object; retry?: object } };
      await lab.write('flags', { operation: undefined });
      return { ...operation.sync, ...(operation.retry === undefined ? {} : { retry: operation.retry }) };
    };
    const plain = { source: SOURCE, syncStrategy: { hook: {} } };
    expect(await asked()).toEqual(plain);
    expect(await asked('--revision', 'v2', '--dry-run')).toEqual({ ...plain, revision: 'v2', dryRun: true });
    expect(await asked('--strategy', 'apply', '--replace', '--server-side', '--apply-out-of-sync-only')).toEqual({
      source: SOURCE,
      syncStrategy: { apply: {} },
      syncOptions: ['Replace=true', 'ServerSideApply=true', 'ApplyOutOfSyncOnly=true'],
    });
    expect(await asked('--resource', 'apps:Deployment:web')).toMatchObject({
      resources: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' }],
    });
    expect(await asked('--resource', '!apps:*:*')).toMatchObject({
      resources: [{ kind: 'ConfigMap', namespace: 'shop', name: 'settings' }],
    });
    expect(await asked('--retry-limit', '5', '--retry-refresh', '--retry-backoff-max-duration', '10m')).toMatchObject({
      retry: { limit: 5, refresh: true, backoff: { duration: '5s', maxDuration: '10m0s', factor: 2 } },
    });
  });

  it('rejects flags that cannot be combined', async () => {
    expect(await lab.run(['app', 'sync', 'flags', '--retry-backoff-duration', '--timeout', '1'])).toMatchObject({
      code: 20,
      err: expect.stringContaining('"--timeout"') as string,
    });
    await lab.create('wrong', { status: status() });
    const said = async (...flags: string[]): Promise<string> =>
      (await lab.run(['app', 'sync', ...flags])).err.split('\n').find((line) => line.startsWith('argosy:')) ?? '';
    expect(await said('wrong', '--resource', 'Deployment')).toContain(
      'resource should have GROUP:KIND:NAME, but instead got: Deployment',
    );
    expect(await said('wrong', '--resource', 'apps:Deployment:a/b/c')).toContain(
      'resource with namespace should have GROUP:KIND:NAMESPACE/NAME',
    );
    expect(await said('wrong', '--resource', 'apps:Deployment:other')).toContain(
      'No matching app resources found for resource filter: apps:Deployment:other',
    );
    expect(await said('wrong', '--strategy', 'maybe')).toContain('Allowed choices are apply, hook');
    expect(await said('a', 'b', '-l', 'x=y')).toContain('Cannot use selector option');
    expect(await said('wrong', '--info', 'x')).toContain('--info should have NAME=VALUE');
    expect(await said()).toContain('name an application');
    expect(await lab.get('wrong')).not.toHaveProperty('operation');
  });

  it('is rejected with the messages of Argo CD', async () => {
    await lab.create('auto', { spec: { syncPolicy: { automated: {} } }, status: status() });
    const said = async (...words: string[]): Promise<{ code: number; what: string }> => {
      const { code, err } = await lab.run(['app', ...words]);
      return { code, what: /^argosy: (.*?) \(argocd\//m.exec(err)?.[1] ?? err };
    };
    expect(await said('sync', 'auto', '--revision', 'v2')).toEqual({
      code: 20,
      what: 'Cannot sync to v2: auto-sync currently set to main',
    });
    expect(await said('rollback', 'auto', '1')).toEqual({
      code: 20,
      what: 'rollback cannot be initiated when auto-sync is enabled',
    });
    expect((await lab.run(['app', 'rollback', 'auto', '1'])).err).toContain(
      '. Disable auto-sync first: argosy app set argocd/auto --sync-policy none\n',
    );
    expect(await said('terminate-op', 'auto')).toEqual({
      code: 20,
      what: 'Unable to terminate operation. No operation is in progress',
    });
    await lab.write('auto', { operation: { sync: {} } });
    expect(await said('sync', 'auto')).toEqual({ code: 20, what: 'another operation is already in progress' });
    await lab.create('leaving', { finalizers: ['example.com/hold'] });
    await lab.run(['app', 'delete', 'leaving', '--cascade=false']);
    expect(await said('sync', 'leaving')).toEqual({ code: 20, what: 'application is deleting' });
    await lab.cluster.create(APP_PROJECTS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'closed', namespace: 'argocd' },
      spec: { syncWindows: [{ kind: 'deny', schedule: '0 0 * * *', duration: '24h', applications: ['*'] }] },
    });
    await lab.create('night', { spec: { project: 'closed' } });
    expect(await said('sync', 'night')).toEqual({ code: 20, what: 'cannot sync: blocked by sync window' });
  });

  it('fails if the operation failed or resources require pruning', async () => {
    await lab.create('fails', { status: status() });
    const failed = controller(
      'fails',
      status({ operationState: state('Running') }),
      status({ operationState: state('Failed', { finishedAt: AT, message: 'one or more objects failed to apply' }) }),
    );
    const [{ code, out, err }] = await Promise.all([lab.run(['app', 'sync', 'fails']), failed]);
    expect(code).toBe(20);
    expect(out).toContain('Message:            one or more objects failed to apply\n');
    expect(err).toContain(
      'argosy: Operation has completed with phase: Failed (argocd/fails). See the result of each resource with argosy',
    );
    const results = [
      row({ status: 'PruneSkipped', message: 'ignored (requires pruning)' }),
      { group: '', ...config, syncPhase: 'Sync', status: 'PruneSkipped', message: 'ignored (no prune)' },
    ];
    const skipped = controller('fails', status({ operationState: state('Succeeded', { finishedAt: AT }, results) }));
    const [left] = await Promise.all([lab.run(['app', 'sync', 'fails']), skipped]);
    expect([left.code, left.err.includes('1 resources require pruning')]).toEqual([20, true]);
  });

  it('requests a comparison if none followed the operation, and prints only JSON with -o json', async () => {
    await lab.create('unsettled', { status: status() });
    const played = controller(
      'unsettled',
      status({ operationState: state('Succeeded', { finishedAt: '2026-10-06T12:00:01Z' }) }),
    ).then(() =>
      lab.when(
        'unsettled',
        ({ metadata }) => metadata.annotations?.['argocd.argoproj.io/refresh'] === 'normal',
        async () => {
          const { metadata } = (await lab.get('unsettled'))!;
          await lab.write('unsettled', {
            metadata: { ...metadata, annotations: {} },
            status: status({
              ...synced,
              reconciledAt: '2026-10-06T12:00:02Z',
              operationState: state('Succeeded', { finishedAt: '2026-10-06T12:00:01Z' }),
            }),
          });
        },
      ),
    );
    const [{ code, out }] = await Promise.all([lab.run(['app', 'sync', 'unsettled', '-o', 'json']), played]);
    expect(code).toBe(0);
    expect((JSON.parse(out) as { status: object }).status).toMatchObject({ sync: { status: 'Synced' } });
  });
});

describe('app rollback and terminate-op', () => {
  it('syncs to an earlier deployment, without hooks', async () => {
    const old = { ...SOURCE, targetRevision: 'v1' };
    await lab.create('back', {
      status: status({
        history: [
          { id: 4, revision: 'aaaaaaa', source: old, deployedAt: AT },
          { id: 5, revision: 'bbbbbbb', source: SOURCE, deployedAt: AT },
        ],
      }),
    });
    for (const id of [[], ['4']]) {
      const played = controller(
        'back',
        status({
          operationState: state('Succeeded', { finishedAt: AT }),
          history: [
            { id: 4, revision: 'aaaaaaa', source: old, deployedAt: AT },
            { id: 5, revision: 'bbbbbbb', source: SOURCE, deployedAt: AT },
          ],
        }),
      );
      const [{ code }, taken] = await Promise.all([lab.run(['app', 'rollback', 'back', ...id, '--prune']), played]);
      expect([code, taken]).toEqual([
        0,
        {
          initiatedBy: { username: 'kim' },
          sync: { prune: true, source: old, revision: 'aaaaaaa', syncStrategy: { apply: {} } },
        },
      ]);
    }
    expect((await lab.run(['app', 'rollback', 'back', '9'])).err).toContain(
      'application argocd/back does not have deployment with id 9',
    );
    expect((await lab.run(['app', 'rollback', 'back', 'x'])).err).toContain('"x" is not a whole number');
  });

  it('terminates the running operation', async () => {
    await lab.create('stuck', { status: status({ operationState: state('Running') }) });
    await lab.write('stuck', { operation: { sync: {} } });
    expect((await lab.run(['app', 'terminate-op', 'stuck'])).out).toBe("Application 'stuck' operation terminating\n");
    expect((await lab.get('stuck'))?.['status']).toMatchObject({
      operationState: { phase: 'Terminating', startedAt: AT },
    });
  });
});

describe('app wait', () => {
  const reached = status(synced);

  it('returns immediately if the application is Synced and Healthy', async () => {
    await lab.create('good', { status: reached });
    const { code, out } = await lab.run(['app', 'wait', 'good']);
    expect([code, out.includes('Health Status:      Healthy')]).toEqual([0, true]);
    expect((await lab.run(['app', 'wait', 'good', '--resource', ':ConfigMap:settings', '--sync'])).code).toBe(0);
  });

  it('shows the state and fails on timeout', async () => {
    await lab.create('never', { status: status() });
    let out = '';
    const session: AppSession = {
      cluster: lab.cluster,
      access: 'read',
      controlNamespace: 'argocd',
      appNamespace: undefined,
      host: {
        now: () => NOW,
        stdout: { write: (text: string) => (out += text) },
        stderr: { write: () => undefined },
      } as unknown as CliHost,
      after: (milliseconds, callback) => {
        if (milliseconds === 7000) queueMicrotask(callback);
        return () => undefined;
      },
    };
    await expect(wait(session, ['never'], { timeout: 7, output: 'wide' })).rejects.toThrow(
      'timed out (7s) waiting for app "argocd/never" match desired state',
    );
    expect(out).toContain('This is the state of the app after wait timed out:\n\nName:               argocd/never\n');
  });

  it('waits for health, a revision, deletion, and fails when it becomes Degraded', async () => {
    await lab.create('later', { status: status() });
    expect((await runThen(['wait', 'later', '--health'], () => lab.write('later', { status: reached }))).code).toBe(0);
    const next = '9'.repeat(40);
    expect(
      (
        await runThen(['wait', 'later', '--revision', '9999999'], () =>
          lab.write('later', { status: status({ ...synced, sync: { ...synced.sync, revision: next } }) }),
        )
      ).code,
    ).toBe(0);
    await lab.create('compared', {
      status: status({ health: { status: 'Healthy' }, sync: { ...synced.sync, status: 'OutOfSync', revision: next } }),
    });
    expect(
      (
        await runThen(['wait', 'compared', '--health', '--revision', next], () =>
          lab.write('compared', { status: status({ ...synced, sync: { ...synced.sync, revision: next } }) }),
        )
      ).out,
    ).toContain('Synced to main (9999999)');
    await lab.write('later', { status: status({ ...synced, history: [{ id: 1, revision: next, deployedAt: AT }] }) });
    expect((await lab.run(['app', 'wait', 'later', '--revision', next])).code).toBe(0);
    const ended = await runThen(['wait', 'later', '--delete'], async () => {
      await lab.run(['app', 'delete', 'later', '--cascade=false']);
    });
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("Application 'argocd/later' deleted\n")]);
    const part = (health: string): object =>
      status({ resources: [{ ...web, status: 'Synced', health: { status: health } }] });
    await lab.create('worse', { status: part('Progressing') });
    const worse = await runThen(['wait', 'worse', '--health'], () => lab.write('worse', { status: part('Degraded') }));
    expect([worse.code, worse.err]).toEqual([
      20,
      expect.stringContaining("application 'argocd/worse' health state has transitioned from Progressing to Degraded"),
    ]);
  });

  /** Runs a command, and does something as soon as it prints a row: it has seen the application by then. */
  async function runThen(
    words: readonly string[],
    act: () => Promise<void>,
  ): Promise<{ code: number; out: string; err: string }> {
    let [out, acted] = ['', undefined as Promise<void> | undefined];
    const stdout = {
      write: (text: string) => {
        out += text;
        if (text.startsWith('2026')) acted ??= act();
      },
    };
    const { code, err } = await lab.run(['app', ...words], { stdout });
    await acted;
    return { code, err, out };
  }
});
