import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { APP_PROJECTS, CONFIG_MAPS } from '../../model/resources/index.js';

const REVISION = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const AT = '2026-10-06T11:00:00Z';
const SOURCE = { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' };

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await lab.create('web', {
    labels: { team: 'shop' },
    spec: { syncPolicy: { automated: { prune: true } } },
    status: {
      sync: { status: 'Synced', revision: REVISION, comparedTo: { source: SOURCE, destination: {} } },
      health: { status: 'Healthy' },
      reconciledAt: AT,
      conditions: [
        {
          type: 'SharedResourceWarning',
          message: 'ConfigMap/a is part of\napplications web and cart',
          lastTransitionTime: AT,
        },
        { type: 'SharedResourceWarning', message: 'b', lastTransitionTime: AT },
      ],
      history: [
        {
          id: 1,
          revision: `0${REVISION.slice(1)}`,
          source: SOURCE,
          deployStartedAt: AT,
          deployedAt: '2026-10-05T09:30:00Z',
        },
        { id: 2, revision: REVISION, source: SOURCE, deployStartedAt: AT, deployedAt: AT },
      ],
      resources: [
        {
          version: 'v1',
          kind: 'Service',
          namespace: 'shop',
          name: 'web',
          status: 'Synced',
          health: { status: 'Healthy' },
        },
        {
          group: 'apps',
          version: 'v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          status: 'OutOfSync',
          health: { status: 'Progressing', message: 'rolling' },
        },
        { version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a', status: 'Synced' },
      ],
      operationState: {
        operation: { sync: {} },
        phase: 'Succeeded',
        message: 'successfully synced',
        startedAt: AT,
        finishedAt: '2026-10-06T11:01:05Z',
        syncResult: {
          revision: REVISION,
          source: SOURCE,
          resources: [
            {
              group: 'batch',
              version: 'v1',
              kind: 'Job',
              namespace: 'shop',
              name: 'migrate',
              status: 'Synced',
              hookType: 'PreSync',
              hookPhase: 'Succeeded',
              syncPhase: 'PreSync',
              message: 'done',
            },
            {
              group: 'apps',
              version: 'v1',
              kind: 'Deployment',
              namespace: 'shop',
              name: 'web',
              status: 'Synced',
              hookPhase: 'Running',
              syncPhase: 'Sync',
              message: 'deployment.apps/web configured',
            },
          ],
        },
      },
    },
  });
  await lab.create('cart', {
    spec: {
      sources: [
        {
          repoURL: 'https://charts.example.com',
          chart: 'cart',
          targetRevision: '1.2.0',
          name: 'chart',
          helm: { parameters: [{ name: 'image.tag', value: 'v2' }], valueFiles: ['$values/cart.yaml'] },
        },
        { ...SOURCE, ref: 'values' },
      ],
      source: undefined,
      destination: { name: 'in-cluster', namespace: 'shop' },
      project: 'shop',
    },
  });
  await lab.create('elsewhere', { namespace: 'team' });
  await lab.cluster.create(APP_PROJECTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: {
      syncWindows: [{ kind: 'deny', schedule: '0 0 * * *', duration: '24h', applications: ['*'], manualSync: true }],
    },
  });
});
afterAll(() => lab.close());

describe('app list', () => {
  it('prints the columns of argocd', async () => {
    expect(await lab.run(['app', 'list'])).toEqual({
      code: 0,
      err: '',
      out: [
        'NAME         CLUSTER                         NAMESPACE  PROJECT  STATUS  HEALTH   SYNCPOLICY  ' +
          'CONDITIONS                REPO                              PATH  TARGET',
        'argocd/cart  in-cluster                      shop       shop                      Manual      ' +
          '<none>                    https://charts.example.com              1.2.0',
        'argocd/web   https://kubernetes.default.svc  shop       default  Synced  Healthy  Auto-Prune  ' +
          'SharedResourceWarning(2)  https://git.example.com/shop.git  web   main',
        '',
      ].join('\n'),
    });
  });

  it('filters by label, project, repository, cluster, path and namespace', async () => {
    const names = async (...flags: string[]): Promise<string> =>
      (await lab.run(['app', 'list', '-o', 'name', ...flags])).out.trim().replaceAll('\n', ' ');
    expect(await names()).toBe('argocd/cart argocd/web');
    expect(await names('-l', 'team=shop')).toBe('argocd/web');
    expect(await names('-p', 'shop', '-p', 'other')).toBe('argocd/cart');
    expect(await names('-r', 'https://git.example.com/shop')).toBe('argocd/cart argocd/web');
    expect(await names('-c', 'in-cluster')).toBe('argocd/cart');
    expect(await names('-P', 'web', '-l', 'team')).toBe('argocd/web');
    expect(await names('-N', 'team')).toBe('team/elsewhere');
    expect(await names('--namespace', 'team')).toBe('team/elsewhere');
    const json = JSON.parse((await lab.run(['app', 'list', '-o', 'json', '-N', 'team'])).out) as {
      metadata: { name: string };
    }[];
    expect(json.map(({ metadata }) => metadata.name)).toEqual(['elsewhere']);
  });

  it('lists applications of the namespaces that the settings allow', async () => {
    const maps = CONFIG_MAPS;
    const settings = await lab.cluster.create(maps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' },
      data: { 'application.namespaces': 'te*, /^none$/' },
    });
    expect((await lab.run(['app', 'list', '-o', 'name'])).out).toBe('argocd/cart\nargocd/web\nteam/elsewhere\n');
    await lab.cluster.remove(
      maps,
      { namespace: 'argocd', name: 'argocd-cmd-params-cm' },
      { uid: settings.metadata.uid ?? '' },
    );
  });
});

describe('app get', () => {
  it('prints the application, its conditions, its last operation and its resources', async () => {
    const { code, out } = await lab.run(['app', 'get', 'web', '--show-operation']);
    expect(code).toBe(0);
    expect(out).toBe(`Name:               argocd/web
Project:            default
Server:             https://kubernetes.default.svc
Namespace:          shop
URL:
Source:
- Repo:             https://git.example.com/shop.git
  Target:           main
  Path:             web
SyncWindow:         Sync Allowed
Sync Policy:        Automated (Prune)
Sync Status:        Synced to main (1a2b3c4)
Health Status:      Healthy

CONDITION              MESSAGE                                           LAST TRANSITION
SharedResourceWarning  ConfigMap/a is part of applications web and cart  2026-10-06 11:00:00 +0000 UTC
SharedResourceWarning  b                                                 2026-10-06 11:00:00 +0000 UTC

Operation:          Sync
Sync Revision:      ${REVISION}
Phase:              Succeeded
Start:              2026-10-06 11:00:00 +0000 UTC
Finished:           2026-10-06 11:01:05 +0000 UTC
Duration:           1m5s
Message:            successfully synced

GROUP  KIND        NAMESPACE  NAME     STATUS     HEALTH       HOOK     MESSAGE
batch  Job         shop       migrate  Succeeded  Synced       PreSync  done
apps   Deployment  shop       web      OutOfSync  Progressing           deployment.apps/web configured
       ConfigMap   shop       a        Synced
       Service     shop       web      Synced     Healthy

Why:
- Deployment shop/web is Progressing: rolling
`);
  });

  it('shows several sources, their parameters and the windows of the project', async () => {
    const { out } = await lab.run(['app', 'get', 'cart', '--show-params', '--source-name', 'chart']);
    expect(out).toContain(
      'Sources:\n- Repo:             https://charts.example.com\n  Target:           1.2.0\n  Chart:        ' +
        '    cart\n  Helm Values:      $values/cart.yaml\n- Repo:',
    );
    expect(out).toContain(
      '  Ref:              values\nSyncWindow:         Manual Allowed\nAssigned Windows:   deny:0 0 * * *:24h\n',
    );
    expect(out).toContain('NAME       VALUE\nimage.tag  v2\n');
    expect((await lab.run(['app', 'get', 'cart', '--show-params'])).err).toContain(
      'Source position should be specified',
    );
    expect((await lab.run(['app', 'get', 'cart', '--show-params', '--source-name', 'x'])).err).toContain(
      "Unknown source name 'x'",
    );
  });

  it('accepts NAMESPACE/NAME, and reports a missing application', async () => {
    expect((await lab.run(['app', 'get', 'team/elsewhere'])).out).toContain('Name:               team/elsewhere\n');
    expect(await lab.run(['app', 'get', 'nobody'])).toMatchObject({
      code: 20,
      err: expect.stringMatching(
        /^argosy: application "nobody" not found in namespace argocd \(https:.*\)\. List applications with .*\n$/,
      ) as string,
    });
    expect((await lab.run(['app', 'get', 'nobody'])).err).toContain(' List applications with argosy app list\n');
    const { code, err } = await lab.run(['app', 'get', 'a/b/c', '-o', 'json']);
    expect([code, (JSON.parse(err) as { error: { code: string } }).error.code]).toEqual([20, 'USAGE']);
    expect((JSON.parse((await lab.run(['app', 'get', 'web', '-o', 'json'])).out) as { kind: string }).kind).toBe(
      'Application',
    );
    expect((await lab.run(['app', 'get', 'web', '-o', 'yaml'])).out).toContain('kind: Application\n');
  });

  it('requests a refresh and waits until it is done', async () => {
    await lab.create('stale');
    const isAsked =
      (level: string) =>
      ({ metadata }: { metadata: { annotations?: Record<string, string> } }): boolean =>
        metadata.annotations?.['argocd.argoproj.io/refresh'] === level;
    for (const [flag, level] of [
      ['--refresh', 'normal'],
      ['--hard-refresh', 'hard'],
    ] as const) {
      const controller = lab.when('stale', isAsked(level), async () => {
        const { metadata } = (await lab.get('stale'))!;
        await lab.write('stale', {
          metadata: { ...metadata, annotations: {} },
          status: { sync: { status: 'OutOfSync', comparedTo: { source: SOURCE, destination: {} } }, reconciledAt: AT },
        });
      });
      const [{ out, err }] = await Promise.all([lab.run(['app', 'get', 'stale', flag]), controller]);
      expect(out).toContain('Sync Status:        OutOfSync from main\n');
      expect(err).toMatch(/^context .+ \(https:/);
    }
  });
});

describe('app history', () => {
  it('prints deployments by repository, or only their ids', async () => {
    expect((await lab.run(['app', 'history', 'web'])).out).toBe(`SOURCE  https://git.example.com/shop.git
ID      DATE                           REVISION
1       2026-10-05 09:30:00 +0000 UTC  main (0a2b3c4)
2       2026-10-06 11:00:00 +0000 UTC  main (1a2b3c4)
`);
    expect((await lab.run(['app', 'history', 'web', '-o', 'id'])).out).toBe('1\n2\n');
    expect((await lab.run(['app', 'history', 'cart'])).out).toBe('');
  });
});

it('the help of every command has an example', async () => {
  for (const name of [
    'list',
    'get',
    'create',
    'set',
    'sync',
    'wait',
    'diff',
    'manifests',
    'history',
    'rollback',
    'resources',
    'waves',
    'logs',
    'terminate-op',
    'delete',
  ]) {
    const { code, out } = await lab.run(['app', name, '--help']);
    expect([name, code, out.includes(`argosy app ${name}`), /Examples?:\n/.test(out)]).toEqual([name, 0, true, true]);
  }
});
