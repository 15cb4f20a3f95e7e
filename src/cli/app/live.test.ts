import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { getPointer } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { growTree, treeLines } from '../application/live-tree.js';
import { StateStream, type ResourceState } from '../application/resource-states.js';
import { DEPLOYMENTS, PODS, SECRETS } from '../../model/resources/index.js';

const kind = (
  group: string,
  name: string,
  plural: string,
): { group: string; version: string; kind: string; plural: string; namespaced: true } => ({
  group,
  version: 'v1',
  kind: name,
  plural,
  namespaced: true,
});
const SYNC = { status: 'Synced', comparedTo: { source: { repoURL: 'x' }, destination: {} } };
const RESOURCES = [
  { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' },
  { version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'missing', status: 'OutOfSync' },
];
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  const deployment = await lab.cluster.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  });
  const owner = (object: KubeObject): object => ({
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: object.metadata.uid,
    controller: true,
  });
  const set = await lab.cluster.create(kind('apps', 'ReplicaSet', 'replicasets'), {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-1', namespace: 'shop', ownerReferences: [owner(deployment)] },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  } as unknown as KubeObject);
  await lab.cluster.create(kind('', 'ServiceAccount', 'serviceaccounts'), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'shop' },
  });
  for (const [name, owners] of [
    ['web-1-a', [owner(set)]],
    ['web-1-b', [owner(set)]],
    ['stranger', []],
  ] as const) {
    await lab.cluster.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels: { app: 'web' }, ownerReferences: owners },
      spec: template.spec,
    } as unknown as KubeObject);
  }
  await lab.create('web', { status: { sync: SYNC, resourceHealthSource: 'appTree', resources: RESOURCES } });
});
afterAll(() => lab.close());

describe('app get', () => {
  it('assesses the resources itself if the status lacks their health', async () => {
    const { out } = await lab.run(['app', 'get', 'web']);
    expect(out).toMatch(/^ +ConfigMap +shop +missing +OutOfSync +Missing$/m);
    expect(out).toMatch(/^apps +Deployment +shop +web +Synced +Progressing$/m);
  });

  it('shows resources with their children', async () => {
    const { out } = await lab.run(['app', 'get', 'web', '-o', 'tree']);
    expect(out.split('\n\n')[1]?.replaceAll(/ {2,}/g, ' | ')).toBe(`KIND/NAME | STATUS | HEALTH | MESSAGE
Deployment/web | Synced | Progressing
└─ReplicaSet/web-1 | Progressing
 | ├─Pod/web-1-a | Progressing
 | └─Pod/web-1-b | Progressing
ConfigMap/missing | OutOfSync | Missing
`);
    expect((await lab.run(['app', 'get', 'web', '-o', 'tree=detailed'])).out).toMatch(
      /KIND\/NAME +STATUS +HEALTH +AGE +MESSAGE +REASON\n/,
    );
  });
});

it('app actions lists and runs actions', async () => {
  expect((await lab.run(['app', 'actions', 'list', 'web', '--kind', 'Deployment'])).out).toMatch(
    /^GROUP +KIND +NAME +ACTION +DISABLED\n[^]*apps +Deployment +web +restart +false\n/,
  );
  const done = await lab.run(['app', 'actions', 'run', 'web', 'restart', '--kind', 'Deployment']);
  expect([done.code, done.out]).toEqual([0, 'action restart ran on apps/Deployment/shop/web\n']);
  const live = await lab.cluster.get(DEPLOYMENTS, { namespace: 'shop', name: 'web' });
  expect(getPointer(live!, '/spec/template/metadata/annotations')).toHaveProperty([
    'kubectl.kubernetes.io/restartedAt',
  ]);
  expect((await lab.run(['app', 'actions', 'run', 'web', 'fly', '--kind', 'Deployment'])).err).toContain(
    'there is no action "fly" for Deployment',
  );
  expect((await lab.run(['app', 'actions', 'run', 'web', 'restart', '--kind', 'Pod'])).err).toContain(
    'no matching resource found',
  );
});

describe('resources on another cluster', () => {
  it('are read with the cluster Secret', async () => {
    const config = readOneYaml(readFileSync(lab.kubeconfig, 'utf8'), { dialect: 'kubernetes', file: 'kubeconfig' });
    const at = (pointer: string): unknown => getPointer(config, pointer);
    const tls = {
      caData: at('/clusters/0/cluster/certificate-authority-data'),
      certData: at('/users/0/user/client-certificate-data'),
      keyData: at('/users/0/user/client-key-data'),
    };
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'prod', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: { name: 'prod', server: lab.cluster.server, config: JSON.stringify({ tlsClientConfig: tls }) },
    });
    await lab.create('far', {
      spec: { destination: { name: 'prod', namespace: 'shop' } },
      status: { sync: SYNC, resourceHealthSource: 'appTree', resources: RESOURCES },
    });
    expect((await lab.run(['app', 'get', 'far', '-o', 'tree'])).out).toContain('└─Pod/web-1-b');
    await lab.create('lost', {
      spec: { destination: { name: 'nowhere' } },
      status: { sync: SYNC, resourceHealthSource: 'appTree', resources: RESOURCES },
    });
    expect((await lab.run(['app', 'get', 'lost'])).err).toContain('there are no clusters with this name: nowhere');
  });
});

it('a tree puts each object below its owner, and claims below their StatefulSet', () => {
  const object = (group: string, name: string, of: string, owner?: string): KubeObject => ({
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind: of,
    metadata: {
      name,
      namespace: 'a',
      uid: `${of} ${name}`,
      ...(owner === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }] }),
    },
  });
  const tree = growTree(
    [
      { ...object('apps', 'my-db', 'StatefulSet'), spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } },
      object('', 'svc', 'Service'),
    ],
    [
      object('', 'data-my-db-0', 'PersistentVolumeClaim'),
      object('', 'my-db-0', 'Pod', 'StatefulSet my-db'),
      object('discovery.k8s.io', 'svc-1', 'EndpointSlice', 'Service svc'),
      object('', 'data-other-0', 'PersistentVolumeClaim'),
      object('', 'loop-a', 'Pod', 'Pod loop-b'),
      object('', 'loop-b', 'Pod', 'Pod loop-a'),
    ],
  );
  expect(
    treeLines(tree).map(({ node, prefix }) => `${prefix}${node.object.kind}/${node.object.metadata.name ?? ''}`),
  ).toEqual([
    'Service/svc',
    '└─EndpointSlice/svc-1',
    'StatefulSet/my-db',
    '├─PersistentVolumeClaim/data-my-db-0',
    '└─Pod/my-db-0',
  ]);
});

it('sync progress fits a narrow terminal', () => {
  const state = (name: string, health: string): ResourceState => ({
    key: { group: 'serving.kserve.io', kind: 'InferenceService', namespace: 'fraud-detection', name },
    status: 'Synced',
    health,
    hook: '',
    message: '',
  });
  const shown = (columns?: number): string => {
    let out = '';
    const stream = new StateStream(
      (text) => {
        out += text;
      },
      () => Date.parse('2026-10-06T07:28:18Z'),
      columns,
    );
    stream.show([state('fraud', 'Progressing')]);
    stream.showMessage('waiting for healthy state of fraud');
    stream.showMessage('waiting for healthy state of fraud');
    stream.show([state('fraud', 'Healthy')]);
    return out;
  };
  expect(shown(90)).toBe(
    'TIME      KIND/NAME               STATUS     HEALTH       HOOK  MESSAGE\n07:28:18  ' +
      'InferenceService/fraud  Synced     Progressing\n07:28:18  waiting for healthy state of fraud\n07:28:18 ' +
      ' InferenceService/fraud  Synced     Healthy\n',
  );
  expect(shown().split('\n')[1]).toBe(
    '2026-10-06T07:28:18+00:00  serving.kserve.io  InferenceService  fraud-detection                 fraud  ' +
      '  Synced  Progressing',
  );
});
