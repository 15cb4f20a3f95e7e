import { expect, it } from 'vitest';
import type { Difference } from '../../diff/index.js';
import type { Json, JsonObject } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import type { InspectedResource, Inspection } from '../inspect/inspection.js';
import { adviseDrift, advisedApplication, type DriftAdvice } from './advise-drift.js';

const URL = 'https://git.example/stages.git';
const application = (name: string, revision = 'main', spec: JsonObject = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', uid: name },
  spec: { source: { repoURL: URL, targetRevision: revision, path: name }, ...spec },
});
const SIBLINGS = [application('one'), application('two'), application('three'), application('four')];
const key = (group: string, kind: string, name: string): Key => ({ group, kind, namespace: 'demo', name });
const differs = (pointer: string, owner: string, target: Json = 'a', live: Json = 'b'): Difference => ({
  pointer,
  kind: 'changed',
  target,
  live,
  owner,
  since: '',
});
const resource = (of: Key, differences: readonly Difference[], target?: KubeObject): InspectedResource => ({
  key: of,
  status: differences.length === 0 ? 'Synced' : 'OutOfSync',
  differences,
  isHook: false,
  requiresPruning: false,
  wave: 0,
  origin: 'a.yaml:1',
  ...(target === undefined ? {} : { target }),
});
const inspection = (
  resources: readonly InspectedResource[],
  conditions: Inspection['conditions'] = [],
): Inspection => ({
  revisions: [],
  status: 'OutOfSync',
  health: { status: 'Healthy' },
  conditions,
  resources,
  plan: [],
  hooks: [],
  orphaned: [],
});
const advise = (
  resources: readonly InspectedResource[],
  more: { application?: KubeObject; conditions?: Inspection['conditions']; autoscalers?: readonly KubeObject[] } = {},
): DriftAdvice =>
  adviseDrift({
    application: more.application ?? application('app'),
    siblings: SIBLINGS,
    autoscalers: more.autoscalers ?? [],
    failure: '',
    inspection: inspection(resources, more.conditions),
  });
const classes = ({ advice }: DriftAdvice): string[] => advice.map((each) => `${each.class} ${each.pointer}`);

it('a route whose host the cluster fills is ignored by its paths only', () => {
  const route = key('route.openshift.io', 'Route', 'console');
  const advice = advise([
    resource(route, [
      differs('/spec/host', 'openshift-router'),
      differs('/metadata/annotations/openshift.io~1host.generated', ''),
    ]),
    resource(key('', 'Service', 'console'), []),
  ]);
  expect(classes(advice)).toEqual([
    'cluster-generated /spec/host',
    'cluster-generated /metadata/annotations/openshift.io~1host.generated',
  ]);
  expect([advice.rules, advice.needsRespect]).toEqual([
    [
      {
        group: 'route.openshift.io',
        kind: 'Route',
        jsonPointers: ['/metadata/annotations/openshift.io~1host.generated', '/spec/host'],
      },
    ],
    false,
  ]);
});

it('fields of an operator are ignored, and respected in a sync; only the object that differs is named', () => {
  const advice = advise([
    resource(key('networking.istio.io', 'Gateway', 'knative'), [
      differs('/spec/servers/0/hosts', 'opendatahub-operator'),
    ]),
    resource(key('networking.istio.io', 'Gateway', 'own'), []),
  ]);
  expect(classes(advice)).toEqual(['operator-managed /spec/servers/0/hosts']);
  expect([advice.rules, advice.needsRespect]).toEqual([
    [
      {
        group: 'networking.istio.io',
        kind: 'Gateway',
        name: 'knative',
        namespace: 'demo',
        jsonPointers: ['/spec/servers/0/hosts'],
      },
    ],
    true,
  ]);
  expect(advisedApplication(advice).spec).toMatchObject({
    syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] },
  });
});

it('a selector that cannot change takes the labels of the template with it', () => {
  const advice = advise([
    resource(key('apps', 'Deployment', 'playground'), [
      differs('/spec/selector/matchLabels/app', 'argosy'),
      differs('/spec/template/metadata/labels/app', 'argosy'),
    ]),
  ]);
  expect(classes(advice)).toEqual([
    'immutable /spec/selector/matchLabels/app',
    'immutable /spec/template/metadata/labels/app',
  ]);
  expect(advice.needsRespect).toBe(true);
  expect(advice.advice[0]?.say).toContain('Force=true,Replace=true');
});

it('replicas of an autoscaler are removed from git', () => {
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'x', namespace: 'demo' },
    spec: { scaleTargetRef: { apiVersion: 'docling.io/v1', kind: 'DoclingServe', name: 'docling' } },
  };
  const advice = advise(
    [resource(key('docling.io', 'DoclingServe', 'docling'), [differs('/spec/replicas', 'manager', 1, 2)])],
    { autoscalers: [autoscaler] },
  );
  expect([classes(advice), advice.rules, advice.edits]).toEqual([
    ['autoscaled /spec/replicas'],
    [],
    [{ object: key('docling.io', 'DoclingServe', 'docling'), path: ['spec', 'replicas'], change: { kind: 'remove' } }],
  ]);
});

it('a manual change is drift, and nothing hides it', () => {
  const advice = advise([
    resource(key('apps', 'Deployment', 'web'), [differs('/spec/template/spec/containers/0/image', 'kubectl-edit')]),
  ]);
  expect([classes(advice), advice.rules, advice.edits]).toEqual([
    ['real drift /spec/template/spec/containers/0/image'],
    [],
    [],
  ]);
});

it('a forgotten branch is retargeted', () => {
  const advice = advise([], {
    application: application('odd', 'feature/x'),
    conditions: [{ type: 'ComparisonError', message: 'app path does not exist' }],
  });
  expect(classes(advice)).toEqual(['wrong branch /spec/source/targetRevision']);
  expect(advisedApplication(advice).spec).toMatchObject({ source: { targetRevision: 'main' } });
  expect(advice.warnings).toEqual(['targetRevision feature/x: 4 of 5 applications of this repository track main']);
});

it('warns of rules that hide a whole spec, and of secrets in git', () => {
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'p', namespace: 'demo' },
    data: { password: '++++' },
  };
  const advice = advise([resource(key('', 'Secret', 'p'), [], secret)], {
    application: application('app', 'main', { ignoreDifferences: [{ kind: 'Gateway', jsonPointers: ['/spec'] }] }),
    conditions: [{ type: 'SharedResourceWarning', message: 'Namespace/demo is part of applications a and b' }],
  });
  expect(advice.warnings).toEqual([
    'ignoreDifferences of Gateway covers /spec: all drift is hidden; name the fields instead',
    'Secret demo/p has its values in git (a.yaml:1): use an ExternalSecret or a SealedSecret',
  ]);
  expect(classes(advice)).toEqual(['shared owner ']);
});
