import { describe, expect, it } from 'vitest';
import { parseApplication, type Application } from '../../model/argo/index.js';
import type { Json, JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ManagedResource } from '../comparison/compare-resources.js';
import { nextStatus, statusPatch, type ReconcileOutcome } from './next-status.js';

const [EARLIER, NOW] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const SOURCE = { repoURL: 'https://example.com/shop.git', path: 'app' };

function application(status: JsonObject = {}, spec: JsonObject = { source: SOURCE }): Application {
  return parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd', uid: 'uid-1' },
    spec: { project: 'default', destination: { name: 'in-cluster', namespace: 'prod' }, ...spec },
    status,
  });
}

function resource(object: KubeObject, part: Partial<ManagedResource> = {}): ManagedResource {
  const { namespace = '', name = '' } = object.metadata;
  const group = object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '';
  return {
    key: { group, kind: object.kind, namespace, name },
    target: object,
    live: object,
    origin: '',
    isHook: false,
    status: 'Synced',
    differences: [],
    requiresPruning: false,
    isChecked: false,
    ...part,
  };
}

const map = (name: string, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'prod', ...metadata },
});
const outcome = (
  resources: readonly ManagedResource[] | undefined,
  part: Partial<ReconcileOutcome> = {},
): ReconcileOutcome => ({
  sync: 'Synced',
  health: { status: 'Healthy' },
  conditions: [],
  revisions: ['abc'],
  sourceTypes: ['Directory'],
  ...(resources === undefined ? {} : { comparedState: { resources } }),
  ...part,
});
const status = (
  resources: readonly ManagedResource[],
  part: Partial<ReconcileOutcome> = {},
  before: JsonObject = {},
): JsonObject => nextStatus(application(before), outcome(resources, part), undefined, [], NOW);
const listed = (of: JsonObject): JsonObject[] => of.resources as JsonObject[];

describe('times', () => {
  it('of health changes with its status, not with its message', () => {
    const health = { status: 'Degraded', message: 'Deployment/web: old', lastTransitionTime: EARLIER };
    expect(status([], { health: { status: 'Degraded', message: 'Deployment/web: new' } }, { health }).health).toEqual({
      status: 'Degraded',
      message: 'Deployment/web: new',
      lastTransitionTime: EARLIER,
    });
    expect(status([], {}, { health }).health).toEqual({ status: 'Healthy', lastTransitionTime: NOW });
  });

  it('of a condition changes with the condition', () => {
    const conditions = [{ type: 'SyncError', message: 'no', lastTransitionTime: EARLIER }];
    expect(status([], { conditions: [{ type: 'SyncError', message: 'no' }] }, { conditions }).conditions).toEqual(
      conditions,
    );
    expect(status([], {}, { conditions })).not.toHaveProperty('conditions');
  });

  it('reconciledAt alone is not written, unless a refresh was requested', () => {
    const known = application({ ...status([resource(map('a'))]), reconciledAt: EARLIER });
    const next = nextStatus(known, outcome([resource(map('a'))]), undefined, [], NOW);
    expect(statusPatch(known, next, NOW, false)).toBeUndefined();
    expect(statusPatch(known, next, NOW, true)).toEqual({ reconciledAt: NOW });
    const changed = nextStatus(known, outcome([resource(map('a'))], { sync: 'OutOfSync' }), undefined, [], NOW);
    expect(statusPatch(known, changed, NOW, false)).toEqual({ reconciledAt: NOW, sync: { status: 'OutOfSync' } });
  });
});

describe('resources', () => {
  it('are sorted by group, kind, namespace and name', () => {
    const some = [
      map('b'),
      map('a', { namespace: 'zoo' }),
      { ...map('z'), apiVersion: 'apps/v1', kind: 'Deployment' },
      { ...map('a'), kind: 'Secret' },
      map('a'),
    ].map((object) => resource(object));
    const names = (of: readonly ManagedResource[]): string[] =>
      listed(status(of)).map(({ kind, namespace, name }) => [kind, namespace, name].join('/'));
    expect(names(some)).toEqual([
      'ConfigMap/prod/a',
      'ConfigMap/prod/b',
      'ConfigMap/zoo/a',
      'Secret/prod/a',
      'Deployment/prod/z',
    ]);
    expect(names([...some].reverse())).toEqual(names(some));
  });

  it('have Missing health, requiresPruning, hook and syncWave', () => {
    const wave = map('a', { annotations: { 'argocd.argoproj.io/sync-wave': '-3' } });
    const { live: _live, ...absent } = resource(wave, { status: 'OutOfSync' });
    const { target: _target, ...extra } = resource(map('b'), { status: 'OutOfSync', requiresPruning: true });
    const { live: _hook, ...hook } = resource(map('c'), { status: '', isHook: true });
    expect(listed(status([absent, extra, hook]))).toEqual([
      {
        version: 'v1',
        kind: 'ConfigMap',
        namespace: 'prod',
        name: 'a',
        status: 'OutOfSync',
        health: { status: 'Missing' },
        syncWave: -3,
      },
      { version: 'v1', kind: 'ConfigMap', namespace: 'prod', name: 'b', status: 'OutOfSync', requiresPruning: true },
      { version: 'v1', kind: 'ConfigMap', namespace: 'prod', name: 'c', hook: true },
    ]);
  });

  it('without a name are not listed', () => {
    expect(
      listed(status([resource({ apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'hook-' } })])),
    ).toEqual([]);
  });

  it('stay as they were while nothing can be compared', () => {
    const before = { resources: [{ version: 'v1', kind: 'ConfigMap', name: 'a' }], summary: { images: ['a:1'] } };
    const next = nextStatus(
      application(before),
      outcome(undefined, { sync: 'Unknown', revisions: [] }),
      undefined,
      [],
      NOW,
    );
    expect(next).toMatchObject(before);
    expect(next.sync).not.toHaveProperty('revision');
  });
});

describe('the summary', () => {
  const pod = {
    containers: [{ name: 'a', image: 'web:2' }, { name: 'b' }],
    initContainers: [{ name: 'c', image: 'init:1' }],
  };
  const work = (apiVersion: string, kind: string, spec: Json): ManagedResource =>
    resource({ apiVersion, kind, metadata: { name: kind.toLowerCase() }, spec });

  it('has every image once, sorted, of Pods, workloads and CronJobs', () => {
    const resources = [
      work('apps/v1', 'Deployment', { template: { spec: pod } }),
      work('v1', 'Pod', { containers: [{ name: 'a', image: 'api:1' }] }),
      work('batch/v1', 'CronJob', {
        jobTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image: 'night:3' }] } } } },
      }),
      work('v1', 'Service', { template: 'text' }),
      work('example.com/v1', 'Odd', { template: { spec: { containers: 'text' } } }),
      work('example.com/v1', 'Odder', null),
    ];
    expect(status(resources).summary).toEqual({ images: ['api:1', 'init:1', 'night:3', 'web:2'] });
  });

  it('has the live images, not those of git', () => {
    const deployment = (image: string): KubeObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers: [{ name: 'a', image }] } } },
    });
    expect(status([resource(deployment('web:1'), { target: deployment('web:2') })]).summary).toEqual({
      images: ['web:1'],
    });
  });

  it.each([
    ['https://example.com/a', ['https://example.com/a']],
    ['Dashboard|https://example.com/b', ['https://example.com/b']],
    ['http://example.com', ['http://example.com']],
    ['javascript:alert(1)', []],
    ['x|javascript:alert(1)', []],
    [' javascript:alert(1)', []],
    ['JaVaScRiPt:alert(1)', []],
    ['data:text/html,<script>', []],
    ['//example.com', []],
    ['/a', []],
    ['', []],
    ['vbscript:x', []],
    ['file:///etc/passwd', []],
  ])('follows the link "%s" only where a browser may', (link, urls) => {
    expect(
      status([resource(map('a', { annotations: { 'link.argocd.argoproj.io/external-link': link } }))]).summary,
    ).toEqual(urls.length === 0 ? {} : { externalURLs: urls });
  });

  it('has the URLs of Ingresses, and isAppOfApps', () => {
    const http = { paths: [{ path: '/' }, { path: '/shop/*' }, {}, 7] };
    const ingress = (spec: JsonObject): ManagedResource => work('networking.k8s.io/v1', 'Ingress', spec);
    const resources = [
      ingress({
        rules: [{ host: 'shop.example.com', http }, { host: '', http }, { host: 'no-paths.example.com' }, 7, {}],
        tls: [{ hosts: [] }],
      }),
      ingress({ rules: [{ host: 'plain.example.com', http: { paths: [{}] } }] }),
      ingress({ rules: 'text' }),
      work('argoproj.io/v1alpha1', 'Application', {}),
    ];
    expect(status(resources).summary).toEqual({
      externalURLs: [
        'http://plain.example.com',
        'https://shop.example.com',
        'https://shop.example.com/',
        'https://shop.example.com/shop/',
      ],
      isAppOfApps: true,
    });
  });

  it('has the load balancer of an Ingress without hosts, unless default links are ignored', () => {
    const balanced = (annotations: Record<string, string>, address: JsonObject): ManagedResource =>
      resource({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'web', namespace: 'prod', annotations },
        spec: { rules: [{ http: { paths: [{ path: '/a' }] } }] },
        status: { loadBalancer: { ingress: [{}, address] } },
      });
    expect(status([balanced({}, { ip: '192.0.2.1' })]).summary).toEqual({ externalURLs: ['http://192.0.2.1/a'] });
    expect(status([balanced({}, { hostname: 'lb.example.com', ip: '192.0.2.1' })]).summary).toEqual({
      externalURLs: ['http://lb.example.com/a'],
    });
    const link = {
      'argocd.argoproj.io/ignore-default-links': 'true',
      'link.argocd.argoproj.io/docs': 'https://docs.example.com',
    };
    expect(status([balanced(link, { ip: '192.0.2.1' })]).summary).toEqual({
      externalURLs: ['https://docs.example.com'],
    });
  });
});

describe('outdated fields are removed', () => {
  it.each([
    ['history', { history: [{ id: 1 }] }],
    ['one type of several sources', { sourceTypes: ['Helm'] }],
  ])('%s', (_, before) => {
    for (const name of Object.keys(before)) expect(status([], {}, before)).not.toHaveProperty(name);
  });

  it('sourceType, if there are several sources now', () => {
    const many = application(
      { sourceType: 'Helm', sync: { status: 'Synced', revision: 'abc' } },
      { sources: [SOURCE, SOURCE] },
    );
    const next = nextStatus(
      many,
      outcome([], { revisions: ['a', 'b'], sourceTypes: ['Helm', undefined] }),
      undefined,
      [],
      NOW,
    );
    expect(next).toMatchObject({ sourceTypes: ['Helm', ''], sync: { revisions: ['a', 'b'] } });
    expect(next).not.toHaveProperty('sourceType');
    expect(statusPatch(many, next, NOW, false)).toMatchObject({ sourceType: null, sync: { revision: null } });
  });
});

describe('an invalid status', () => {
  it.each([
    [
      'text everywhere',
      {
        sync: 'a',
        health: 'b',
        conditions: 'c',
        summary: 'd',
        resources: 'e',
        history: 'f',
        sourceType: {},
        sourceTypes: 'g',
      },
    ],
    [
      'wrong times',
      {
        health: { status: 'Healthy', lastTransitionTime: 7 },
        conditions: [{ type: 'SyncError', message: 'no', lastTransitionTime: {} }],
      },
    ],
    ['lists of nothing', { conditions: [null, 7], resources: [null], history: [null, 'x'] }],
  ])('%s is replaced by a sound one', (_, before: JsonObject) => {
    const given = outcome([resource(map('a'))], { conditions: [{ type: 'SyncError', message: 'no' }] });
    expect(nextStatus(application(before), given, undefined, [], NOW)).toEqual(
      nextStatus(application(), given, undefined, [], NOW),
    );
  });

  it('is replaced as far as possible while nothing can be compared', () => {
    const next = nextStatus(
      application({ summary: 'd', resources: 'e', history: 'f' }),
      outcome(undefined),
      undefined,
      [],
      NOW,
    );
    expect(next).toMatchObject({ summary: {}, sync: { status: 'Synced' } });
    expect(next).not.toHaveProperty('resources');
  });
});

describe('a status that is too large', () => {
  const many = (count: number, part: (index: number) => Partial<ManagedResource> = () => ({})): ManagedResource[] =>
    Array.from({ length: count }, (_, index) =>
      resource(map(`item-${String(index).padStart(5, '0')}-${'x'.repeat(20)}`), part(index)),
    );

  it('has a thousand resources', () => {
    expect(listed(status(many(1000)))).toHaveLength(1000);
  });

  it('lists all of ten thousand with names of an ordinary length', () => {
    const short = Array.from({ length: 10_000 }, (_, index) => resource(map(`item-${index}`)));
    const next = status(short);
    expect(listed(next)).toHaveLength(10_000);
    expect(next).not.toHaveProperty('conditions');
  });

  it('lists those that are not Synced and Healthy and as many others as fit, with a condition', () => {
    const next = status(
      many(20_000, (index) => {
        if (index % 6000 === 5999) return { status: 'OutOfSync' };
        return index === 19_999 ? { health: { status: 'Degraded', message: 'down' } } : {};
      }),
    );
    const names = listed(next).map(({ name }) => String(name).slice(0, 10));
    expect(names.slice(-2)).toEqual(['item-17999', 'item-19999']);
    expect(names.slice(0, 2)).toEqual(['item-00000', 'item-00001']);
    expect(names.length).toBeGreaterThan(9000);
    expect(next.conditions).toEqual([
      {
        type: 'StatusSizeWarning',
        lastTransitionTime: NOW,
        message:
          `the application has 20000 resources, more than its status can hold: ${names.length} are listed, with all ` +
          '4 that are not Synced and Healthy',
      },
    ]);
  });

  it('leaves room for the rest of the Application', () => {
    const spec = { source: { ...SOURCE, helm: { values: 'x'.repeat(300_000) } } };
    const next = nextStatus(application({}, spec), outcome(many(10_000)), undefined, [], NOW);
    expect(Buffer.byteLength(JSON.stringify({ spec, status: next }))).toBeLessThan(1_400_000);
    expect(listed(next).length).toBeGreaterThan(2000);
  });

  it('stays below the limit of the server in bytes if all are unhealthy', () => {
    const next = status(
      many(10_000, () => ({ status: 'OutOfSync', health: { status: 'Degraded', message: '壊<'.repeat(40) } })),
    );
    expect(Buffer.byteLength(JSON.stringify(next).replaceAll('<', '\\u003c'))).toBeLessThan(1_400_000);
    expect(listed(next).length).toBeGreaterThan(1000);
    expect(JSON.stringify(next.conditions)).toContain(
      `${listed(next).length} of the 10000 that are not Synced and Healthy are listed`,
    );
  });

  it('is stable while nothing changes', () => {
    const before = status(many(20_000));
    const again = nextStatus(application(before), outcome(many(20_000)), undefined, [], '2026-01-03T00:00:00Z');
    expect(again).toEqual(before);
    expect(statusPatch(application(before), again, NOW, false)).toBeUndefined();
  });
});
