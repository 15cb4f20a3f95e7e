import { describe, expect, it } from 'vitest';
import { keyText, type KubeObject, type ObjectMeta } from '../../model/kubernetes/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { Manifest } from '../../render/index.js';
import { prepareTargets, type TargetRules, type Targets } from './targets.js';
import { TRACKING_ID } from './tracking.js';

const CLUSTER_KINDS = ['Namespace', 'ClusterRole'];
const SERVED = ['v1 ConfigMap', 'v1 Namespace', 'apps/v1 Deployment', 'rbac.authorization.k8s.io/v1 ClusterRole'];

const rules = (part: Partial<TargetRules> = {}): TargetRules => ({
  instance: 'shop',
  destinationNamespace: 'prod',
  tracking: { method: 'annotation', labelKey: 'app.kubernetes.io/instance', installationId: '' },
  exclusionOf: () => undefined,
  kindOf: ({ apiVersion, kind }) =>
    SERVED.includes(`${apiVersion} ${kind}`) ? { namespaced: !CLUSTER_KINDS.includes(kind) } : undefined,
  ...part,
});
const at = (object: KubeObject, line = 1, file = 'a.yaml'): Manifest => ({ object, origin: { file, line } });
const object = (apiVersion: string, kind: string, metadata: ObjectMeta, more: JsonObject = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  ...more,
});
const map = (metadata: ObjectMeta): KubeObject => object('v1', 'ConfigMap', metadata);
const widgets = (scope: string): KubeObject =>
  object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    { name: 'widgets.example.com' },
    { spec: { group: 'example.com', scope, names: { kind: 'Widget', plural: 'widgets' } } },
  );
const widget = (metadata: ObjectMeta = { name: 'one' }): KubeObject => object('example.com/v1', 'Widget', metadata);
const keys = ({ targets }: Targets): string[] => targets.map(({ key }) => keyText(key));

describe('the namespace of an object', () => {
  it.each([
    ['its own', map({ name: 'a', namespace: 'other' }), '/ConfigMap/other/a'],
    ["the destination's where it names none", map({ name: 'a' }), '/ConfigMap/prod/a'],
    ["the destination's where it names an empty one", map({ name: 'a', namespace: '' }), '/ConfigMap/prod/a'],
    [
      'none for what has none',
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: 'a' }),
      'rbac.authorization.k8s.io/ClusterRole//a',
    ],
    [
      'none for what has none, whatever the manifest says',
      object('v1', 'Namespace', { name: 'a', namespace: 'other' }),
      '/Namespace//a',
    ],
    ["the destination's for unknown kinds", widget(), 'example.com/Widget/prod/one'],
  ])('is %s', (_, manifest, key) => {
    const { targets, conditions } = prepareTargets([at(manifest)], rules());
    expect(targets.map((target) => keyText(target.key))).toEqual([key]);
    expect(targets[0]?.object.metadata.namespace).toBe(key.split('/')[2] || undefined);
    expect(conditions).toEqual([]);
  });

  it.each([
    ['Namespaced', 'example.com/Widget/prod/one'],
    ['Cluster', 'example.com/Widget//one'],
  ])('is as its definition in the same source says: %s', (scope, key) => {
    expect(keys(prepareTargets([at(widget()), at(widgets(scope))], rules()))).toContain(key);
  });

  it('follows the cluster if the kind is served already', () => {
    expect(
      keys(prepareTargets([at(widgets('Cluster')), at(widget())], rules({ kindOf: () => ({ namespaced: true }) }))),
    ).toContain('example.com/Widget/prod/one');
  });

  it('ignores invalid definitions', () => {
    for (const spec of [undefined, null, 'text', { names: 7 }, { names: {} }]) {
      const broken = object(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        { name: 'broken' },
        spec === undefined ? {} : { spec },
      );
      expect(keys(prepareTargets([at(broken), at(widget())], rules()))).toContain('example.com/Widget/prod/one');
    }
  });

  it('missing in object and destination is an error, and the rest is delivered', () => {
    const manifests = [
      at(object('apps/v1', 'Deployment', { name: 'web' })),
      at(map({ name: 'a' })),
      at(map({ name: 'b', namespace: 'other' })),
      at(object('v1', 'Namespace', { name: 'c' })),
    ];
    const prepared = prepareTargets(manifests, rules({ destinationNamespace: '' }));
    expect(keys(prepared)).toEqual(['/ConfigMap/other/b', '/Namespace//c']);
    expect(prepared.conditions).toEqual([
      { type: 'InvalidSpecError', message: 'Namespace for web apps/v1, Kind=Deployment is missing.' },
      { type: 'InvalidSpecError', message: 'Namespace for a /v1, Kind=ConfigMap is missing.' },
    ]);
  });
});

describe('repeated objects', () => {
  it('the last one is used, and the warning names every place once', () => {
    const manifests = [
      at(map({ name: 'a' }), 1),
      at(map({ name: 'b' }), 3),
      at(map({ name: 'a', namespace: 'prod' }), 7),
      at(map({ name: 'a' }), 9, 'b.yaml'),
    ];
    const { targets, conditions } = prepareTargets(manifests, rules());
    expect(targets.map(({ key, origin }) => `${key.name} ${origin}`)).toEqual(['b a.yaml:3', 'a b.yaml:9']);
    expect(conditions).toEqual([
      {
        type: 'RepeatedResourceWarning',
        message:
          'Resource /ConfigMap/prod/a appeared 3 times among application resources: a.yaml:1, a.yaml:7 and ' +
          'b.yaml:9; the last one is used.',
      },
    ]);
  });

  it('differ by namespace, kind or group', () => {
    const manifests = [
      at(map({ name: 'a' })),
      at(map({ name: 'a', namespace: 'other' })),
      at(object('v1', 'Namespace', { name: 'a' })),
      at(object('apps/v1', 'ConfigMap', { name: 'a' })),
    ];
    const prepared = prepareTargets(manifests, rules());
    expect(prepared.targets).toHaveLength(4);
    expect(prepared.conditions).toEqual([]);
  });

  it('do not differ by version', () => {
    expect(
      prepareTargets([at(widget()), at({ ...widget(), apiVersion: 'example.com/v2' })], rules()).targets.map(
        (target) => target.object.apiVersion,
      ),
    ).toEqual(['example.com/v2']);
  });

  it('with generateName are not repeated', () => {
    const job = at(object('batch/v1', 'Job', { generateName: 'hook-' }));
    const prepared = prepareTargets([job, job], rules());
    expect(prepared.targets).toHaveLength(2);
    expect(prepared.conditions).toEqual([]);
  });
});

describe('kinds that are excluded', () => {
  it('are left out with the reason, even without a namespace', () => {
    const prepared = prepareTargets(
      [at(map({ name: 'a' })), at(object('apps/v1', 'Deployment', { name: 'web', namespace: 'b' }))],
      rules({ destinationNamespace: '', exclusionOf: ({ kind }) => (kind === 'ConfigMap' ? 'not here' : undefined) }),
    );
    expect(keys(prepared)).toEqual(['apps/Deployment/b/web']);
    expect(prepared.conditions).toEqual([{ type: 'ExcludedResourceWarning', message: 'not here' }]);
  });
});

it('every target has its tracking id and its file and line', () => {
  const { targets } = prepareTargets(
    [at(map({ name: 'a' }), 12, 'apps/web.yaml'), at(object('v1', 'Namespace', { name: 'b' }), 1, '')],
    rules(),
  );
  expect(targets.map((target) => [target.object.metadata.annotations?.[TRACKING_ID], target.origin])).toEqual([
    ['shop:/ConfigMap:prod/a', 'apps/web.yaml:12'],
    ['shop:/Namespace:prod/b', ''],
  ]);
});
