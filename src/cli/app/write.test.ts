import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { EVENTS } from '../../model/resources/index.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-app-files-'));
const HERE = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'shop'];

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
});
afterAll(async () => {
  await lab.close();
  rmSync(scratch, { recursive: true, force: true });
});

const specOf = async (name: string, namespace?: string): Promise<unknown> => (await lab.get(name, namespace))?.['spec'];

describe('app create', () => {
  it('creates a Helm application from flags', async () => {
    const { code, out, err } = await lab.run([
      'app',
      'create',
      'shop',
      '--repo',
      'https://charts.example.com',
      '--helm-chart',
      'shop',
      '--revision',
      '1.2.3',
      ...HERE,
      '--helm-set',
      'a=1',
      '--helm-set',
      'list={x,y}',
      '--helm-set',
      'a=2',
      '--helm-set-string',
      'b=true',
      '--helm-set-file',
      'c=c.txt',
      '--values',
      'one.yaml',
      '--values',
      'two.yaml',
      '--release-name',
      'r',
      '--helm-skip-crds',
      '--sync-policy',
      'automated',
      '--auto-prune',
      '--self-heal=true',
      '--allow-empty=false',
      '--sync-option',
      'CreateNamespace=true',
      '--sync-retry-limit',
      '3',
      '--sync-retry-backoff-duration',
      '5s',
      '--sync-retry-backoff-max-duration',
      '3m',
      '--project',
      'team',
      '-l',
      'team=shop',
      '--annotations',
      'note=a=b',
      '--set-finalizer',
      '--revision-history-limit',
      '3',
    ]);
    expect([code, out]).toEqual([0, "application 'shop' created\n"]);
    expect(err).toMatch(/^context .* \(https:\/\/127/);
    expect(await specOf('shop')).toEqual({
      project: 'team',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      revisionHistoryLimit: 3,
      source: {
        repoURL: 'https://charts.example.com',
        chart: 'shop',
        targetRevision: '1.2.3',
        helm: {
          parameters: [
            { name: 'a', value: '2' },
            { name: 'list', value: '{x\\,y}' },
            { name: 'b', value: 'true', forceString: true },
          ],
          fileParameters: [{ name: 'c', path: 'c.txt' }],
          valueFiles: ['one.yaml', 'two.yaml'],
          releaseName: 'r',
          skipCrds: true,
        },
      },
      syncPolicy: {
        automated: { prune: true, selfHeal: true, allowEmpty: false },
        syncOptions: ['CreateNamespace=true'],
        retry: { limit: 3, backoff: { duration: '5s', maxDuration: '3m0s' } },
      },
    });
    expect((await lab.get('shop'))?.metadata).toMatchObject({
      labels: { team: 'shop' },
      annotations: { note: 'a=b' },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    });
  });

  it('creates Kustomize, directory and plugin applications from flags', async () => {
    const repo = ['--repo', 'https://git.example.com/a.git', '--path', 'p', ...HERE];
    await lab.run([
      'app',
      'create',
      'kust',
      ...repo,
      '--nameprefix',
      'x-',
      '--kustomize-image',
      'web:1',
      '--kustomize-image',
      'db=postgres:2',
      '--kustomize-image',
      'web:3',
      '--kustomize-replica',
      'web=4',
      '--kustomize-common-label',
      'a=b',
    ]);
    expect(await specOf('kust')).toMatchObject({
      source: {
        kustomize: {
          namePrefix: 'x-',
          images: ['web:3', 'db=postgres:2'],
          replicas: [{ name: 'web', count: 4 }],
          commonLabels: { a: 'b' },
        },
      },
    });
    await lab.run([
      'app',
      'create',
      'team/dir',
      ...repo,
      '--directory-recurse',
      '--directory-exclude',
      '*.txt',
      '--jsonnet-tla-code',
      'n=1+1',
      '--jsonnet-ext-var-str',
      'e=x',
      '--jsonnet-libs',
      'lib',
    ]);
    expect(await specOf('dir', 'team')).toMatchObject({
      project: 'default',
      source: {
        directory: {
          recurse: true,
          exclude: '*.txt',
          jsonnet: {
            tlas: [{ name: 'n', value: '1+1', code: true }],
            extVars: [{ name: 'e', value: 'x' }],
            libs: ['lib'],
          },
        },
      },
    });
    await lab.run(['app', 'create', 'plug', ...repo, '--config-management-plugin', 'cdk8s', '--plugin-env', 'A=1']);
    expect(await specOf('plug')).toMatchObject({
      source: { plugin: { name: 'cdk8s', env: [{ name: 'A', value: '1' }] } },
    });
  });

  it('creates applications from a file, without status and operation', async () => {
    const file = join(scratch, 'two.yaml');
    const one = (name: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  project: ` +
      'default\n  source: {repoURL: https://git.example.com/a.git, path: p}\n  destination: {name: ' +
      'in-cluster}\noperation: {sync: {revision: evil}}\nstatus: {health: {status: Healthy}}\n';
    writeFileSync(file, `${one('one')}---\n${one('two')}`);
    expect((await lab.run(['app', 'create', '-f', file])).out).toBe(
      "application 'one' created\napplication 'two' created\n",
    );
    const made = await lab.get('one');
    expect([made?.['operation'], made?.['status']]).toEqual([undefined, undefined]);
    expect((await lab.run(['app', 'create', '-f', file])).out).toBe(
      "application 'one' unchanged\napplication 'two' unchanged\n",
    );
    const { code, err } = await lab.run(['app', 'create', '-f', file, '--revision', 'v2']);
    expect([code, err.split('\n')[1]]).toEqual([
      20,
      'argosy: existing application spec is different, use upsert flag to force update (argocd/one). ' +
        'Check the state of the application with argosy app get',
    ]);
    expect((await lab.run(['app', 'create', '-f', file, '--revision', 'v2', '--upsert'])).out).toBe(
      "application 'one' updated\napplication 'two' updated\n",
    );
    expect(await specOf('two')).toMatchObject({ source: { targetRevision: 'v2' } });
    writeFileSync(file, '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}');
    expect((await lab.run(['app', 'create', '-f', file])).err).toContain('this is a ConfigMap, not an Application');
  });

  it('reports missing or invalid fields before anything is written', async () => {
    const said = async (...flags: string[]): Promise<string> =>
      (await lab.run(['app', 'create', ...flags])).err.split('\n')[1] ?? '';
    expect(await said()).toContain('name the application, or give a file with -f');
    expect(await said('bad', ...HERE)).toContain('the application has no source');
    expect(await said('bad', '--repo', 'https://a', ...HERE)).toContain(
      'spec.source.repoURL and either spec.source.path',
    );
    expect(await said('bad', '--repo', 'https://a', '--path', 'p')).toContain('the application has no destination');
    expect(await said('bad', '--repo', 'https://a', '--helm-chart', 'c', ...HERE)).toContain(
      'targetRevision is required',
    );
    expect(await said('bad', '--repo', 'https://a', '--path', 'p', ...HERE, '--helm-set', 'x')).toContain(
      'expected helm parameter of the form param=value but received: x',
    );
    expect(await said('bad', '--repo', 'https://a', '--path', 'p', ...HERE, '--sync-policy', 'often')).toContain(
      'Invalid sync-policy: often',
    );
    expect(await lab.get('bad')).toBeUndefined();
  });
});

describe('app set', () => {
  it('changes only the named fields', async () => {
    await lab.create('web', { spec: { syncPolicy: { automated: { prune: true }, syncOptions: ['Validate=false'] } } });
    expect(
      await lab.run([
        'app',
        'set',
        'web',
        '--revision',
        'v2',
        '--helm-set',
        'a=1',
        '--sync-option',
        'PruneLast=true',
        '--sync-option',
        '!Validate=false',
        '--self-heal',
      ]),
    ).toMatchObject({ code: 0, out: '' });
    expect(await specOf('web')).toMatchObject({
      source: {
        repoURL: 'https://git.example.com/shop.git',
        path: 'web',
        targetRevision: 'v2',
        helm: { parameters: [{ name: 'a', value: '1' }] },
      },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['PruneLast=true'] },
    });
    await lab.run(['app', 'set', 'web', '--sync-policy', 'none', '--sync-option', '!PruneLast=true']);
    expect(await specOf('web')).not.toHaveProperty('syncPolicy');
    await lab.run(['app', 'set', 'web', '--auto-prune']);
    expect(await specOf('web')).toMatchObject({ syncPolicy: { automated: { enabled: false, prune: true } } });
    expect((await lab.run(['app', 'set', 'web'])).err).toContain('Please set at least one option to update');
    expect((await lab.run(['app', 'set', 'web', '--dest-name', 'other'])).err).toContain(
      "can't have both name and server defined",
    );
  });

  it('requires a source if there are several', async () => {
    const source = { repoURL: 'https://git.example.com/a.git', path: 'a' };
    await lab.create('many', { spec: { source: undefined, sources: [source, { ...source, name: 'b' }] } });
    expect((await lab.run(['app', 'set', 'many', '--revision', 'v2'])).err).toContain(
      'Source position should be specified',
    );
    expect((await lab.run(['app', 'set', 'many', '--revision', 'v2', '--source-position', '3'])).err).toContain(
      'less than the number of sources',
    );
    await lab.run(['app', 'set', 'many', '--revision', 'v2', '--source-position', '1']);
    await lab.run(['app', 'set', 'many', '--revision', 'v3', '--source-name', 'b']);
    expect(await specOf('many')).toMatchObject({ sources: [{ targetRevision: 'v2' }, { targetRevision: 'v3' }] });
  });
});

describe('app prune-orphans', () => {
  it('deletes the applications whose parent has them no more, and no other', async () => {
    expect((await lab.run(['app', 'prune-orphans', '--yes'])).out).toBe('no orphaned applications\n');
    const gone = { group: 'argoproj.io', kind: 'Application', namespace: 'argocd', name: 'orphan' };
    const row = { ...gone, version: 'v1alpha1', status: 'OutOfSync', requiresPruning: true };
    await lab.create('parent', { status: { sync: { status: 'OutOfSync' }, resources: [row] } });
    await lab.create('orphan');
    const listed = 'Application argocd/orphan is no longer in git\n';
    expect((await lab.run(['app', 'prune-orphans', '--dry-run'])).out).toBe(listed);
    const no = await lab.run(['app', 'prune-orphans'], { confirm: () => Promise.resolve(false) });
    expect([no.code, no.out]).toEqual([1, `${listed}The command to delete 'argocd/orphan' was cancelled.\n`]);
    const yes = await lab.run(['app', 'prune-orphans', '--yes', '--cascade=false']);
    expect([yes.code, yes.out]).toEqual([0, `${listed}application 'argocd/orphan' deleted\n`]);
    expect([await lab.get('orphan'), (await lab.get('parent'))?.metadata.name]).toEqual([undefined, 'parent']);
  });
});

describe('app delete', () => {
  const FINALIZER = 'resources-finalizer.argocd.argoproj.io';

  it('prompts, and sets the finalizer that deletes the resources', async () => {
    await lab.create('gone');
    expect(await lab.run(['app', 'delete', 'gone'], { confirm: () => Promise.resolve(false) })).toMatchObject({
      code: 1,
      out: "The command to delete 'argocd/gone' was cancelled.\n",
      err: expect.stringContaining('--yes deletes without asking') as string,
    });
    expect((await lab.get('gone'))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await lab.run(['app', 'delete', 'gone', '--yes'])).out).toBe("application 'argocd/gone' deleted\n");
    expect((await lab.get('gone'))?.metadata).toMatchObject({
      finalizers: [FINALIZER],
      deletionTimestamp: expect.any(String) as string,
    });
    await lab.create('back');
    await lab.run(['app', 'delete', 'back', '-y', '-p', 'background']);
    expect((await lab.get('back'))?.metadata.finalizers).toEqual([`${FINALIZER}/background`]);
  });

  it('keeps the resources without cascade, and does not prompt', async () => {
    await lab.create('kept', { finalizers: [FINALIZER] });
    expect((await lab.run(['app', 'delete', 'kept', '--cascade=false'])).out).toBe(
      "application 'argocd/kept' deleted\n",
    );
    expect(await lab.get('kept')).toBeUndefined();
    expect((await lab.run(['app', 'delete', 'kept', '--cascade=false', '-p', 'foreground'])).err).toContain(
      'cannot set propagation policy when cascading is disabled',
    );
    expect((await lab.run(['app', 'delete', 'kept', '-y', '-p', 'sometimes'])).err).toContain(
      'invalid propagation policy: sometimes',
    );
  });

  it('waits for the deletion, and selects applications by label', async () => {
    await lab.create('slow', { labels: { end: 'soon' } });
    const controller = lab.when(
      'slow',
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
      async () => {
        await lab.write('slow', { metadata: { ...(await lab.get('slow'))!.metadata, finalizers: [] } });
      },
    );
    const [{ code, out }] = await Promise.all([
      lab.run(['app', 'delete', '-l', 'end=soon', '--yes', '--wait']),
      controller,
    ]);
    expect([code, out, await lab.get('slow')]).toEqual([0, "application 'argocd/slow' deleted\n", undefined]);
    expect((await lab.run(['app', 'delete', '-l', 'end=soon', '--yes'])).err).toContain(
      'No matching apps found for filter: selector end=soon',
    );
    expect((await lab.run(['app', 'delete'])).err).toContain('name an application');
  });
});

describe('Events of changes', () => {
  const eventsAbout = async (name: string): Promise<string[]> =>
    (await lab.cluster.list(EVENTS, { namespace: 'argocd', fieldSelector: `involvedObject.name=${name}` })).items.map(
      ({ reason, message }) => `${String(reason)}: ${String(message).replace(/ on \S+$/, '')}`,
    );

  it('say who created, changed and deleted an application, and which fields, but no value', async () => {
    const made = ['app', 'create', 'noted', '--repo', 'https://git.example.com/a', '--path', 'a', ...HERE];
    expect((await lab.run(made)).code).toBe(0);
    const patch = [
      'app',
      'patch',
      'noted',
      '--patch',
      '{"metadata":{"annotations":{"a":"canary"}}}',
      '--type',
      'merge',
    ];
    expect((await lab.run(patch)).code).toBe(0);
    await lab.run(['app', 'sync', 'noted', '--async']);
    expect((await lab.run(['app', 'delete', 'noted', '--yes'])).code).toBe(0);
    const [by = ''] = /^\S+/.exec((await eventsAbout('noted'))[0]?.replace(/^\w+: /, '') ?? '') ?? [];
    expect(by).not.toBe('');
    const said = await eventsAbout('noted');
    expect([...new Set(said)].join('\n')).not.toContain('canary');
    expect(said).toEqual(
      expect.arrayContaining([
        `ResourceCreated: ${by} created Application noted with argosy 1.2.3`,
        expect.stringContaining(`ResourceUpdated: ${by} updated Application noted`),
        `ResourceDeleted: ${by} deleted Application noted with argosy 1.2.3`,
      ]),
    );
  });

  it('are none for what is only read or tried', async () => {
    await lab.create('read-only');
    await lab.run(['app', 'get', 'read-only']);
    await lab.run(['app', 'list']);
    expect(await eventsAbout('read-only')).toEqual([]);
  });
});
