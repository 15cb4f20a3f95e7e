import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab, type Ran } from '../../../contracts/cli/app-lab.js';
import type { Inspection } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

const AT = '2026-10-06T11:00:00Z';
const deployment = (replicas: number, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', ...more },
  spec: { replicas, template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
});
const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { a: name },
});
const key = (
  group: string,
  kind: string,
  name: string,
): { group: string; kind: string; namespace: string; name: string } => ({ group, kind, namespace: 'shop', name });
const plain = { isHook: false, requiresPruning: false, wave: 0, origin: '', differences: [] };
const NOTHING: Inspection = {
  revisions: ['abc'],
  status: 'Synced',
  health: { status: 'Healthy', message: '' },
  conditions: [],
  resources: [],
  orphaned: [],
  hooks: [],
  plan: [],
};

const DRIFT: Inspection = {
  ...NOTHING,
  status: 'OutOfSync',
  orphaned: [key('', 'Secret', 'lost')],
  resources: [
    {
      ...plain,
      key: key('apps', 'Deployment', 'web'),
      status: 'OutOfSync',
      target: deployment(2),
      live: {
        ...deployment(5, { uid: 'u', resourceVersion: '7', labels: { old: 'yes' }, managedFields: [] }),
        status: { replicas: 5 },
      },
      differences: [
        { pointer: '/spec/replicas', kind: 'changed', target: 2, live: 5, owner: 'kubectl-edit', since: AT },
        { pointer: '/metadata/labels/old', kind: 'extra', live: 'yes', owner: '', since: '' },
        {
          pointer: '/spec/template/spec/containers/0/env',
          kind: 'missing',
          target: [{ name: 'A', value: '1' }],
          owner: 'argosy',
          since: AT,
        },
      ],
    },
    {
      ...plain,
      key: key('', 'ConfigMap', 'new'),
      status: 'OutOfSync',
      target: configMap('new'),
      origin: 'web/new.yaml:1',
    },
    { ...plain, key: key('', 'ConfigMap', 'old'), status: 'OutOfSync', live: configMap('old'), requiresPruning: true },
    {
      ...plain,
      key: key('', 'ConfigMap', 'same'),
      status: 'Synced',
      target: configMap('same'),
      live: configMap('same'),
    },
    {
      ...plain,
      key: key('batch', 'Job', 'migrate'),
      status: '',
      isHook: true,
      target: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop' } },
    },
  ],
};

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await lab.create('web');
});
afterAll(() => lab.close());

const asked: unknown[] = [];
const run = (words: readonly string[], inspection: Inspection): Promise<Ran> =>
  lab.run(['app', ...words], {
    inspect: (_, application, options) => {
      asked.push([application.metadata.name, options]);
      return Promise.resolve(inspection);
    },
  });

describe('app diff', () => {
  it('shows each differing resource and the owner of each field', async () => {
    const { code, out } = await run(['diff', 'web', '--revision', 'v2', '--hard-refresh'], DRIFT);
    expect(asked.at(-1)).toEqual(['web', { namespace: 'argocd', revisions: ['v2'], hard: true }]);
    expect(code).toBe(1);
    await expect(out).toMatchFileSnapshot('testdata/diff.txt');
  });

  it('reports differences by its exit code', async () => {
    expect(await run(['diff', 'web'], NOTHING)).toEqual({ code: 0, out: '', err: '' });
    expect((await run(['diff', 'web', '--exit-code=false'], DRIFT)).code).toBe(0);
    expect((await run(['diff', 'web', '--diff-exit-code', '7'], DRIFT)).code).toBe(7);
    expect(await run(['diff', 'nobody'], NOTHING)).toMatchObject({
      code: 2,
      err: expect.stringContaining('application "nobody" not found') as string,
    });
    const broken: Inspection = {
      ...NOTHING,
      status: 'Unknown',
      conditions: [{ type: 'ComparisonError', message: 'the path web is not there' }],
    };
    expect(await run(['diff', 'web'], broken)).toMatchObject({
      code: 2,
      err:
        'argosy: the path web is not there (ComparisonError). Fix what the message names; argosy app get ' +
        'shows all conditions\n',
    });
  });
});

it('app manifests prints the manifests in git, or the live ones', async () => {
  const names = (text: string): string[] => [...text.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name ?? '');
  const git = (await run(['manifests', 'web'], DRIFT)).out;
  expect(git.startsWith('---\napiVersion: apps/v1\n')).toBe(true);
  expect(names(git)).toEqual(['web', 'new', 'same', 'migrate']);
  expect(names((await run(['manifests', 'web', '--source', 'live'], DRIFT)).out)).toEqual(['web', 'old', 'same']);
});

it('app resources lists managed and orphaned resources', async () => {
  expect((await run(['resources', 'web'], DRIFT)).out).toBe(`GROUP  KIND        NAMESPACE  NAME     ORPHANED
apps   Deployment  shop       web      No
       ConfigMap   shop       new      No
       ConfigMap   shop       old      No
       ConfigMap   shop       same     No
batch  Job         shop       migrate  No
       Secret      shop       lost     Yes
`);
  expect((await run(['resources', 'web', '--orphaned'], DRIFT)).out).toBe(
    'GROUP  KIND    NAMESPACE  NAME  ORPHANED\n       Secret  shop       lost  Yes\n',
  );
});

describe('app waves', () => {
  const planned: Inspection = {
    ...DRIFT,
    plan: [
      {
        phase: 'PreSync',
        wave: 0,
        waitsFor: [],
        tasks: [{ key: key('batch', 'Job', 'migrate'), does: 'create', isHook: true, notes: [] }],
      },
      {
        phase: 'Sync',
        wave: -1,
        waitsFor: [{ why: 'hook', key: key('batch', 'Job', 'migrate') }],
        tasks: [
          { key: key('', 'ConfigMap', 'new'), does: 'apply', isHook: false, notes: [] },
          {
            key: key('apps', 'Deployment', 'web'),
            does: 'apply',
            isHook: false,
            status: 'Synced',
            phase: 'Running',
            notes: [],
          },
        ],
      },
      {
        phase: 'Sync',
        wave: 5,
        waitsFor: ['a', 'b', 'c', 'd', 'e'].map((name) => ({
          why: 'health' as const,
          key: key('apps', 'Deployment', name),
        })),
        tasks: [{ key: key('', 'ConfigMap', 'old'), does: 'prune', isHook: false, notes: ['its own wave is -1'] }],
      },
      {
        phase: 'SyncFail',
        wave: 0,
        waitsFor: [],
        tasks: [{ key: key('batch', 'Job', 'alarm'), does: 'create', isHook: true, notes: [] }],
      },
    ],
  };

  it('prints the steps in order, and what each waits for', async () => {
    const healthy = 'Deployment a is Healthy, Deployment b is Healthy, Deployment c is Healthy, 2 more';
    const startsAfter = 'STARTS AFTER'.padEnd(healthy.length);
    expect((await run(['waves', 'web'], planned)).out).toBe(
      `PHASE     WAVE  GROUP  KIND        NAMESPACE  NAME     DOES                     ${startsAfter}  NOTES
PreSync   0     batch  Job         shop       migrate  run hook
Sync      -1           ConfigMap   shop       new      apply                    Job migrate has completed
                apps   Deployment  shop       web      apply (Synced, Running)
Sync      5            ConfigMap   shop       old      prune                    ${healthy}  its own wave is -1
SyncFail  0     batch  Job         shop       alarm    run hook                 a failure
`,
    );
    expect((await run(['waves', 'web'], NOTHING)).out).toContain('nothing to sync');
    expect(JSON.parse((await run(['waves', 'web', '-o', 'json'], planned)).out)).toHaveLength(4);
  });

  it('finds steps that cannot succeed in this order', async () => {
    const target: KubeObject = {
      ...configMap('new'),
      metadata: { name: 'new', namespace: 'shop', annotations: { 'argocd.argoproj.io/sync-wave': 'first' } },
    };
    const odd = {
      ...planned,
      resources: [
        { ...plain, key: key('', 'ConfigMap', 'new'), status: 'OutOfSync' as const, target, origin: 'web/new.yaml:1' },
      ],
    };
    const { code, out } = await run(['waves', 'web', '--check'], odd);
    expect([code, out]).toEqual([
      1,
      'web/new.yaml:1: ConfigMap new: annotation argocd.argoproj.io/sync-wave is "first", it must be a ' +
        'whole number; it counts as absent [annotation]\n    fix: write a value that the annotation takes, in ' +
        'quotes\n1 problem\n',
    ]);
    expect(await run(['waves', 'web', '--check'], planned)).toMatchObject({
      code: 0,
      out: 'no problems with the sync order\n',
    });
  });
});

describe('app sync', () => {
  it('previews the changes on request, and prompts', async () => {
    const words = ['app', 'sync', 'web', '--preview-changes', '--async'];
    expect((await run(words.slice(1), NOTHING)).out).toContain('====== No Differences found ======');
    expect(await lab.get('web')).not.toHaveProperty('operation');
    const questions: string[] = [];
    const { out } = await lab.run(words, {
      inspect: () => Promise.resolve(DRIFT),
      confirm: (question) => {
        questions.push(question);
        return Promise.resolve(false);
      },
    });
    expect(out).toContain('===== apps/Deployment shop/web ======');
    expect(questions).toEqual([
      'Please review changes to application argocd/web shown above. Do you want to continue the sync process?',
    ]);
    expect(await lab.get('web')).not.toHaveProperty('operation');
  });

  it('selects resources by label', async () => {
    await lab.create('labelled', {
      status: {
        sync: { status: 'OutOfSync', comparedTo: { source: { repoURL: 'x' }, destination: {} } },
        resources: [
          { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'OutOfSync' },
          { version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'new' },
        ],
      },
    });
    const labelled: Inspection = {
      ...DRIFT,
      resources: [
        {
          ...plain,
          key: key('apps', 'Deployment', 'web'),
          status: 'OutOfSync',
          target: deployment(2, { labels: { tier: 'front' } }),
        },
      ],
    };
    expect((await run(['sync', 'labelled', '--label', 'tier=back', '--async'], labelled)).err).toContain(
      'No matching resources found for labels: [tier=back]',
    );
    expect((await run(['sync', 'labelled', '--label', 'tier=front', '--async'], labelled)).code).toBe(0);
    expect((await lab.get('labelled'))?.['operation']).toMatchObject({
      sync: { resources: [{ group: 'apps', kind: 'Deployment', name: 'web', namespace: 'shop' }] },
    });
  });
});
