import { expect, it } from 'vitest';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Tree, TreeFolder, TreeNode } from '../../../model/formats/index.js';
import { createRuleSet, SnapshotBuilder, triage, type ReportedCause, type Snapshot } from '../../../triage/index.js';
import { readOneYaml, writeYaml } from '../../../model/yaml/index.js';
import { makePatches } from './make-patches.js';

const URL = 'https://git.example/platform.git';

function treeOf(files: Readonly<Record<string, string>>): Tree {
  const folder = (prefix: string): TreeFolder => {
    const names = [
      ...new Set(
        Object.keys(files)
          .filter((path) => path.startsWith(prefix))
          .map((path) => path.slice(prefix.length).split('/')[0] ?? ''),
      ),
    ].sort();
    const node = (name: string): TreeNode => {
      const text = files[`${prefix}${name}`];
      return text === undefined
        ? folder(`${prefix}${name}/`)
        : { kind: 'file', id: `${prefix}${name} ${text.length}`, executable: false, bytes: Buffer.from(text) };
    };
    return { kind: 'folder', id: prefix, entries: new Map(names.map((name) => [name, node(name)])) };
  };
  return { repository: URL, commit: 'c', root: folder('') };
}

const TEMPLATE = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      {{- with .Values.tolerations }}
      tolerations: {{ toYaml . | nindent 8 }}
      {{- end }}
      containers:
      - name: app
        image: x
`;
const GLOBALS = 'tolerations:\n- key: example.io/env\n  value: dev\n  effect: NoSchedule\n';
/** Two applications of one chart whose shared values hide what the globals say, one of plain files. */
const FILES = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n',
  'chart/values.yaml': '{}\n',
  'chart/templates/deployment.yaml': TEMPLATE,
  'values/globals.yaml': GLOBALS,
  'values/cart.yaml': '# the cart\nreplicas: 1\ntolerations: []   # why?\n',
  'values/web.yaml': 'tolerations: []\nreplicas: 2\n',
  'plain/service.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: {name: news}\nspec:\n  selector:\n    app: nwes  # of the ' +
    'team\n  ports:\n  - port: 80\n',
};

const application = (name: string, source: JsonObject, resource: JsonObject): JsonObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    destination: { namespace: 'shop' },
    source: { repoURL: URL, targetRevision: 'main', ...source },
  },
  status: { health: { status: 'Degraded' }, sync: { status: 'Synced' }, resources: [resource] },
});
const helm = (name: string): JsonObject =>
  application(
    name,
    { path: 'chart', helm: { valueFiles: ['/values/globals.yaml', `/values/${name}.yaml`] } },
    { group: 'apps', kind: 'Deployment', namespace: 'shop', name },
  );
const blocked = (name: string): JsonObject[] => [
  helm(name),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: { replicas: 1, template: { spec: {} } },
    status: { replicas: 1 },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-1`,
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
    },
    spec: { containers: [{ name: 'app' }] },
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/1 nodes are available: 1 node(s) had untolerated taint {example.io/env: dev}.',
        },
      ],
    },
  },
];
const GIVEN: readonly JsonObject[] = [
  ...blocked('cart'),
  ...blocked('web'),
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: { taints: [{ key: 'example.io/env', value: 'dev', effect: 'NoSchedule' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  },
  application('news', { path: 'plain' }, { kind: 'Service', namespace: 'shop', name: 'news' }),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'news', namespace: 'shop' },
    spec: { selector: { app: 'nwes' }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'news', namespace: 'shop' },
    spec: { replicas: 1, template: { metadata: { labels: { app: 'news' } } } },
    status: { availableReplicas: 1, updatedReplicas: 1, readyReplicas: 1 },
  },
];

function triaged(): { snapshot: Snapshot; causes: readonly ReportedCause[] } {
  const builder = new SnapshotBuilder();
  for (const each of GIVEN) builder.add(structuredClone(each), 'test');
  const snapshot = builder.build(0);
  return { snapshot, causes: triage(snapshot, { rules: createRuleSet, assess: () => undefined }).causes };
}

it('finds the files behind a common cause and changes nothing else', () => {
  const { snapshot, causes } = triaged();
  const sets = makePatches(causes, snapshot, [{ url: URL, revision: '', folder: '/clone', tree: treeOf(FILES) }]);
  const taint = sets.find(({ cause }) => cause.rule === 'C01');
  expect(taint?.patches.map(({ file, line }) => `${file}:${line}`)).toEqual([
    'values/cart.yaml:3',
    'values/web.yaml:1',
  ]);
  expect(taint?.patches.map(({ after }) => after)).toEqual(['# the cart\nreplicas: 1\n', 'replicas: 2\n']);
  expect(taint).toMatchObject({
    rendered: 2,
    others: [],
    unsolved: [],
    changed: ['Deployment cart spec.template.spec.tolerations', 'Deployment web spec.template.spec.tolerations'],
  });
  expect(taint?.patches[0]?.diff).toContain('--- a/values/cart.yaml\n+++ b/values/cart.yaml\n');
  const selector = sets.find(({ cause }) => cause.rule === 'G01');
  expect(selector?.patches.map(({ after }) => after)).toEqual([FILES['plain/service.yaml'].replace('nwes', 'news')]);
});

it('adds a rule of lists and maps once, and not at all where it is there', () => {
  const file = 'apps/news.yaml';
  const manifest = application('news', { path: 'plain' }, {});
  const rule = { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'], jqPathExpressions: ['.a', '.b'] };
  const cause = {
    id: 'news',
    name: 'news',
    rule: 'drift',
    title: 'replicas differ',
    field: 'spec.replicas',
    objects: [],
    fix: {
      where: 'git' as const,
      say: 'ignore the replicas',
      commands: [],
      risk: 'none' as const,
      reversible: true,
      verify: '',
      edits: [
        {
          object: { group: 'argoproj.io', kind: 'Application', namespace: 'argocd', name: 'news' },
          path: ['spec', 'ignoreDifferences'],
          change: { kind: 'add' as const, value: rule },
        },
      ],
    },
  };
  const patched = (text: string): string | undefined =>
    makePatches([cause], { objects: [manifest as KubeObject] }, [
      { url: URL, revision: '', folder: '/clone', tree: treeOf({ [file]: text }) },
    ])[0]?.patches[0]?.after;
  const before = writeYaml({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'news' },
    spec: {},
  });
  const after = patched(before) ?? '';
  expect(readOneYaml(after, { dialect: 'kubernetes' })).toMatchObject({ spec: { ignoreDifferences: [rule] } });
  expect(patched(after)).toBeUndefined();
});

it('lists objects without a file', () => {
  const { snapshot, causes } = triaged();
  const [set] = makePatches(causes, snapshot, []).filter(({ cause }) => cause.rule === 'C01');
  expect([set?.patches, set?.unsolved]).toEqual([[], ['Deployment shop/cart', 'Deployment shop/web']]);
});

it('restores the value of an earlier commit if no rule knows better, and keeps other changes', () => {
  const before = {
    'plain/job.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\n',
    'plain/app.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: news}\nspec:\n  template:\n    spec:\n      ' +
      'containers:\n      - name: app\n        image: registry.example/news:1.0  # of the team\n',
  };
  const now = {
    'plain/app.yaml': before['plain/app.yaml']
      .replace('news:1.0', 'news:1.1')
      .replace('# of the team', '# of the new team'),
  };
  const checkouts = [{ url: URL, revision: '', folder: '/clone', tree: treeOf(now), earlier: [treeOf(before)] }];
  const objects = [
    application(
      'news',
      { path: 'plain' },
      { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'news' },
    ) as KubeObject,
  ];
  const fix = {
    where: 'git' as const,
    say: 'name a tag that exists',
    commands: [],
    risk: 'restart' as const,
    reversible: true,
    verify: '',
  };
  const [image] = makePatches(
    [
      {
        id: '1',
        name: 'P1-1',
        rule: 'E01',
        title: 'no such image',
        fix,
        objects: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'news' }],
        field: 'spec.template.spec.containers[0].image',
      },
    ],
    { objects },
    checkouts,
  );
  expect(image?.patches.map(({ after }) => after)).toEqual([now['plain/app.yaml'].replace('news:1.1', 'news:1.0')]);
  expect(image).toMatchObject({
    asIn: 'c',
    others: [],
    changed: ['Deployment news spec.template.spec.containers[0].image'],
  });
  const [gone] = makePatches(
    [
      {
        id: '2',
        name: 'P1-2',
        rule: 'B04',
        title: 'no such ConfigMap',
        fix,
        objects: [{ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'rules' }],
        field: 'metadata.name',
      },
    ],
    { objects },
    checkouts,
  );
  expect(gone?.patches.map(({ file, after }) => [file, after])).toEqual([['plain/job.yaml', before['plain/job.yaml']]]);
  expect(
    gone?.repair.adds.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
  ).toEqual(['ConfigMap shop/rules']);
});

it('brings no folder back that a commit removed', () => {
  const chart = {
    'charts/agents/Chart.yaml': 'apiVersion: v2\nname: agents\nversion: 1.0.0\n',
    'charts/agents/values.yaml': '{}\n',
    'charts/agents/templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: agents}\n',
  };
  const now = { 'root/other.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n' };
  const root = application(
    'root',
    { path: 'root' },
    {
      group: 'argoproj.io',
      kind: 'Application',
      namespace: 'argocd',
      name: 'agents',
      status: 'OutOfSync',
      requiresPruning: true,
    },
  );
  const message = 'charts/agents: app path does not exist at main (commit c); no branch has it';
  const agents = {
    ...application('agents', { path: 'charts/agents' }, { kind: 'ConfigMap', namespace: 'shop', name: 'agents' }),
    status: { sync: { status: 'Unknown' }, conditions: [{ type: 'ComparisonError', message }] },
  };
  const patchesOf = (objects: readonly JsonObject[]): readonly (readonly [string, number, string])[] => {
    const builder = new SnapshotBuilder();
    for (const each of objects) builder.add(structuredClone(each), 'test');
    const snapshot = builder.build(0);
    const { causes } = triage(snapshot, { rules: createRuleSet, assess: () => undefined });
    const sets = makePatches(causes, snapshot, [
      { url: URL, revision: '', folder: '/clone', tree: treeOf(now), earlier: [treeOf({ ...now, ...chart })] },
    ]);
    return causes.map(({ rule, severity, id }) => [
      rule,
      sets.find(({ cause }) => cause.id === id)?.patches.length ?? 0,
      severity,
    ]);
  };
  expect(patchesOf([agents])).toEqual([['A01', 0, 'P1']]);
  expect(patchesOf([agents, root])).toEqual([['A22', 0, 'P2']]);
});
