import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { TreeNode } from '../../model/formats/index.js';
import { treeOf, type TreeShape } from '../testing/tree.js';
import { TreeReader } from '../common/tree-reader.js';
import { buildKustomization, type KustomizeRequest } from './build-kustomization.js';
import { kustomizationText } from './kustomization-text.js';
import type { ChartRequest } from './plugin/render-chart.js';
import { cpuSecondsOf } from '../../model/testing/index.js';

type Options = Omit<KustomizeRequest, 'reader' | 'path'> & { readonly path?: string };

function build(files: TreeShape, { path = '', ...options }: Options = {}): ReturnType<typeof buildKustomization> {
  return buildKustomization({ reader: new TreeReader(treeOf(files)), path, ...options });
}

function text(files: TreeShape, options: Options = {}): string {
  const outcome = build(files, options);
  if (outcome.kind !== 'built') throw new Error(`needs ${JSON.stringify(outcome.needs)}`);
  return kustomizationText(outcome.manifests);
}

function fault(files: TreeShape, options: Options = {}): Fault {
  try {
    build(files, options);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('it was built');
}

const configMap = (name: string, data = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${data}`;

describe('where objects come from', () => {
  it('an object knows its file and the line its document starts at', () => {
    const outcome = build(
      {
        'over/kustomization.yaml': 'resources: [../base, more.yaml]\nsortOptions: {order: fifo}\n',
        'base/kustomization.yaml': 'resources: [all.yaml]\n',
        'base/all.yaml': `# a comment\n${configMap('one')}---\n# another\n\n${configMap('two')}`,
        'over/more.yaml': `---\n${configMap('three')}`,
      },
      { path: 'over' },
    );
    const origins =
      outcome.kind === 'built'
        ? outcome.manifests.map(({ object, origin }) => `${object.metadata.name ?? ''} ${origin.file}:${origin.line}`)
        : [];
    expect(origins).toEqual(['one base/all.yaml:2', 'two base/all.yaml:9', 'three over/more.yaml:2']);
  });

  it('a fault names the file and the line', () => {
    expect(
      fault({
        'kustomization.yaml': 'resources: [a.yaml]\n',
        'a.yaml': `${configMap('a')}---\nkind: ConfigMap\nmetadata:\n  name: b\n bad: x\n`,
      }),
    ).toMatchObject({ code: 'YAML_INVALID', where: 'a.yaml:9' });
    expect(fault({ 'sub/kustomization.yaml': 'nameprefix: a\nfoo: b\n' }, { path: 'sub' })).toMatchObject({
      code: 'KUSTOMIZATION_INVALID',
      message: 'invalid Kustomization: json: unknown field "foo"',
      where: 'sub/kustomization.yaml',
    });
  });

  it('everything that was read is remembered', () => {
    const reader = new TreeReader(
      treeOf({
        'over/kustomization.yaml': 'resources: [../base]\n',
        'base/kustomization.yaml': 'resources: [a.yaml]\n',
        'base/a.yaml': configMap('a'),
      }),
    );
    buildKustomization({ reader, path: 'over' });
    const facts = Object.fromEntries(reader.readSet);
    expect(facts['base/a.yaml']).toMatch(/^file /);
    expect(facts['over/kustomization.yml']).toBe('absent');
    expect(facts['base/Kustomization']).toBe('absent');
  });
});

describe('what lies elsewhere', () => {
  const remote = 'https://github.com/org/repo//deploy?ref=v1';
  const files = {
    'kustomization.yaml':
      `namePrefix: x-\nresources: ['${remote}', 'https://example.com/a.yaml']\ncomponents: ` +
      `['github.com/org/parts//one']\n`,
  };

  it('is asked for all at once', () => {
    expect(build(files)).toEqual({
      kind: 'needs',
      needs: [remote, 'https://example.com/a.yaml', 'github.com/org/parts//one'].map((address) => ({
        kind: 'base',
        address,
      })),
    });
  });

  it('is used when it was fetched', () => {
    const repository = new TreeReader(
      treeOf({ 'deploy/kustomization.yaml': 'resources: [c.yaml]\nnameSuffix: -r\n', 'deploy/c.yaml': configMap('c') }),
    );
    const parts = new TreeReader(treeOf({ 'one/kustomization.yaml': 'kind: Component\ncommonLabels: {part: one}\n' }));
    const outcome = build(files, {
      remoteBases: new Map([
        [remote, { kind: 'tree', reader: repository }],
        ['https://example.com/a.yaml', { kind: 'file', text: configMap('a') }],
        ['github.com/org/parts//one', { kind: 'tree', reader: parts }],
      ]),
    });
    expect(outcome).toMatchObject({
      kind: 'built',
      manifests: [
        { object: { metadata: { name: 'x-a', labels: { part: 'one' } } } },
        {
          object: { metadata: { name: 'x-c-r' } },
          origin: { file: 'deploy/c.yaml', repository: 'https://github.com/org/repo' },
        },
      ],
    });
  });

  it('cannot reach out of its repository', () => {
    const repository = new TreeReader(treeOf({ 'deploy/kustomization.yaml': 'resources: [../../secret]\n' }));
    expect(
      fault(
        { 'kustomization.yaml': `resources: ['${remote}']\n` },
        { remoteBases: new Map([[remote, { kind: 'tree', reader: repository }]]) },
      ).code,
    ).toBe('RENDER_PATH_ESCAPE');
  });

  it('may not come back to itself', () => {
    const repository = new TreeReader(treeOf({ 'deploy/kustomization.yaml': `resources: ['${remote}']\n` }));
    expect(
      fault(
        { 'kustomization.yaml': `resources: ['${remote}']\n` },
        { remoteBases: new Map([[remote, { kind: 'tree', reader: repository }]]) },
      ).message,
    ).toContain('cycle detected');
  });

  it('files that are not loaded are asked for', () => {
    const tree = treeOf({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': configMap('a') });
    const hollow = new Map<string, TreeNode>(
      [...tree.root.entries].map(([name, node]) => [
        name,
        node.kind === 'file' && name === 'a.yaml' ? { kind: 'file', id: node.id, executable: false } : node,
      ]),
    );
    const outcome = buildKustomization({
      reader: new TreeReader({ ...tree, root: { ...tree.root, entries: hollow } }),
      path: '',
    });
    expect(outcome).toMatchObject({ kind: 'needs', needs: [{ kind: 'file', path: 'a.yaml' }] });
  });
});

describe('hostile repositories', () => {
  const CANARY = 'canary-text-of-a-secret';

  it.each([
    '../secret.yaml',
    '../../etc/passwd',
    '/etc/passwd',
    'a/../../../x',
    'link.yaml',
    'linked-folder/secret.yaml',
    'loop',
    'file:///etc/passwd',
  ])('cannot load %s', (path) => {
    const files: TreeShape = {
      'secret.yaml': configMap(CANARY),
      'app/link.yaml': { to: '../secret.yaml' },
      'app/linked-folder': { to: '..' },
      'app/loop': { to: 'loop' },
    };
    for (const use of [
      `resources: ['${path}']`,
      `configMapGenerator: [{name: a, files: ['${path}']}]`,
      `patches: [{path: '${path}'}]`,
      `configurations: ['${path}']`,
      `openapi: {path: '${path}'}`,
      `crds: ['${path}']`,
      `transformers: ['${path}']`,
      `replacements: [{path: '${path}'}]`,
    ]) {
      const shape = { ...files, 'app/kustomization.yaml': `${use}\n` };
      if (path.startsWith('file:') && (use.startsWith('resources') || use.startsWith('transformers'))) continue;
      expect(fault(shape, { path: 'app' }).message).not.toContain(CANARY);
    }
  });

  it('a git address is never opened, only asked for', () => {
    expect(build({ 'kustomization.yaml': "resources: ['file:///etc']\n" })).toEqual({
      kind: 'needs',
      needs: [{ kind: 'base', address: 'file:///etc' }],
    });
  });

  it.each(['exec: {path: /bin/sh}', 'container: {image: evil}', 'starlark: {path: x.star}'])(
    'runs no function: %s',
    (spec) => {
      const config =
        'apiVersion: evil/v1\nkind: Runner\nmetadata:\n  name: x\n  annotations:\n    ' +
        `config.kubernetes.io/function: |\n      ${spec}\n`;
      for (const list of ['generators', 'transformers', 'validators']) {
        expect(
          fault({
            'kustomization.yaml': `resources: [a.yaml]\n${list}: [f.yaml]\n`,
            'f.yaml': config,
            'a.yaml': configMap('a'),
          }).message,
        ).toContain("external plugins disabled; unable to load external plugin 'Runner'");
      }
    },
  );

  it('charts are refused where nobody renders them', () => {
    expect(fault({ 'kustomization.yaml': 'helmCharts: [{name: c}]\nhelmGlobals: {chartHome: x}\n' }).message).toContain(
      'must specify --enable-helm',
    );
  });

  it('aliases cannot grow without end', () => {
    const levels = Array.from(
      { length: 30 },
      (_, index) => `l${index + 1}: &l${index + 1} [${Array.from({ length: 9 }, () => `*l${index}`).join(', ')}]`,
    ).join('\n');
    const { result, seconds } = cpuSecondsOf(() =>
      fault({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': `${configMap('a')}l0: &l0 [x]\n${levels}\n` }),
    );
    expect(result.message).toContain('document contains excessive aliasing');
    expect(seconds).toBeLessThan(2);
  });

  it('an alias cannot contain itself', () => {
    expect(
      fault({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': `${configMap('a')}x: &x {y: *x}\n` }).message,
    ).toContain('contains itself');
  });

  it('depth has an end', () => {
    for (const deep of ['['.repeat(50_000), '{a: '.repeat(50_000), '- '.repeat(50_000)]) {
      expect(
        fault({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': `${configMap('a')}x:\n  ${deep}\n` }).message,
      ).toContain('exceeded max depth');
    }
  });

  it('names of the prototype are ordinary names', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
    const map = names.map((name) => `  ${name}: "1"\n`).join('');
    const before = Object.getOwnPropertyNames(Object.prototype);
    const out = text({
      'kustomization.yaml':
        `resources: [a.yaml]\ncommonLabels:\n${map}patches:\n- path: p.yaml\n- target: {name: a}\n  patch: ` +
        `'[{"op": "add", "path": "/data/__proto__", "value": "2"}, {"op": "add", "path": "/data/constructor", ` +
        `"value": "3"}]'\nconfigMapGenerator:\n- name: g\n  literals: ` +
        `[${names.map((name) => `${name}=1`).join(', ')}]\n`,
      'a.yaml': configMap('a', `data:\n${map}`),
      'p.yaml': configMap('a', `data:\n${map.replaceAll('"1"', '"p"')}`),
    });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    for (const name of names) expect(out).toContain(`    ${name}: "1"`);
    expect(out).toContain('  __proto__: "2"\n  constructor: "3"\n');
  });

  it('patterns that would take for ever elsewhere do not here', () => {
    const { seconds } = cpuSecondsOf(() =>
      text({
        'kustomization.yaml':
          'resources: [a.yaml]\npatches:\n- target: {name: \'(a+)+$\'}\n  patch: \'[{"op": "add", "path": ' +
          '"/data", "value": {}}]\'\n',
        'a.yaml': configMap(`${'a'.repeat(40)}b`),
      }),
    );
    expect(seconds).toBeLessThan(1);
  });
});

describe('charts', () => {
  it('are rendered by the function given, and keep their own namespaces', () => {
    const requests: ChartRequest[] = [];
    const out = text(
      {
        'kustomization.yaml':
          'namespace: ns\nhelmCharts:\n- name: web\n  releaseName: r\n  valuesInline: {a: {b: 2}, list: ' +
          '[x]}\n  includeCRDs: true\n',
        'charts/web/values.yaml': 'a: {b: 1, c: 3}\nlist: [y, z]\n',
        'charts/web/Chart.yaml': 'name: web\n',
      },
      { renderChart: (request) => (requests.push(request), configMap('from-chart')) },
    );
    expect(requests).toMatchObject([
      {
        chart: { kind: 'folder', path: 'charts/web' },
        releaseName: 'r',
        namespace: 'ns',
        includeCrds: true,
        values: { inline: { a: { b: 2, c: 3 }, list: ['x'] } },
      },
    ]);
    expect(out).toBe(configMap('from-chart'));
  });

  it('that are not in the tree are named with their repository', () => {
    const requests: ChartRequest[] = [];
    build(
      { 'kustomization.yaml': 'helmCharts: [{name: web, repo: https://charts.example, version: 1.2.3}]\n' },
      { renderChart: (request) => (requests.push(request), configMap('a')) },
    );
    expect(requests[0]?.chart).toEqual({
      kind: 'remote',
      repository: 'https://charts.example',
      name: 'web',
      version: '1.2.3',
    });
  });
});

describe('what an Application overrides', () => {
  const deployment =
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  template:\n    spec:\n      ' +
    'containers:\n      - name: c\n        image: nginx:1\n';
  const object = (kustomization: string, overrides: NonNullable<KustomizeRequest['overrides']>): JsonObject => {
    const outcome = build(
      {
        'kustomization.yaml': `resources: [d.yaml]\n${kustomization}`,
        'd.yaml': deployment,
        'part/kustomization.yaml': 'kind: Component\nnameSuffix: -part\n',
      },
      { overrides },
    );
    if (outcome.kind !== 'built') throw new Error('it needs something');
    return outcome.manifests[0]?.object ?? {};
  };
  const image = (made: JsonObject): unknown =>
    (made as { spec: { template: { spec: { containers: { image: string }[] } } } }).spec.template.spec.containers[0]
      ?.image;

  it('prefix, suffix, namespace and replicas', () => {
    expect(
      object('namePrefix: old-\nreplicas: [{name: d, count: 1}]\n', {
        namePrefix: 'p-',
        nameSuffix: '-s',
        namespace: 'n',
        replicas: [{ name: 'd', count: 4 }],
      }),
    ).toMatchObject({ metadata: { name: 'p-d-s', namespace: 'n' }, spec: { replicas: 4 } });
  });

  it.each([
    ['nginx:2', '', 'nginx:2'],
    ['nginx=other/x:3', '', 'other/x:3'],
    ['nginx@sha256:1', '', 'nginx@sha256:1'],
    ['nginx=other', '', 'other:1'],
    ['nginx=*:9', 'images: [{name: nginx, newName: kept}]\n', 'kept:9'],
    ['nginx:9', 'images: [{name: nginx, newName: lost}]\n', 'nginx:9'],
  ])('image %s', (wanted, kustomization, expected) => {
    expect(image(object(kustomization, { images: [wanted] }))).toBe(expected);
  });

  it('an image that says nothing is refused', () => {
    expect(() => object('', { images: ['nginx'] })).toThrow('invalid format of image');
  });

  it('labels, with and without selectors', () => {
    expect(object('', { commonLabels: { a: 'b' } })).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { selector: { matchLabels: { a: 'b' } } },
    });
    const without = object('', { commonLabels: { a: 'b' }, labelWithoutSelector: true, labelIncludeTemplates: true });
    expect(without).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { template: { metadata: { labels: { a: 'b' } } } },
    });
    expect(without.spec).not.toHaveProperty('selector');
    expect(() => object('commonLabels: {a: x}\n', { commonLabels: { a: 'b' } })).toThrow(
      'label a already in kustomization file. Use --force to override.',
    );
    expect(object('commonLabels: {a: x}\n', { commonLabels: { a: 'b' }, forceCommonLabels: true })).toMatchObject({
      metadata: { labels: { a: 'b' } },
    });
  });

  it('annotations, patches and components', () => {
    expect(
      object('', {
        commonAnnotations: { n: '1' },
        components: ['part', 'missing'],
        ignoreMissingComponents: true,
        patches: [{ target: { kind: 'Deployment' }, patch: '[{"op": "add", "path": "/spec/paused", "value": true}]' }],
      }),
    ).toMatchObject({ metadata: { name: 'd-part', annotations: { n: '1' } }, spec: { paused: true } });
    expect(() => object('', { components: ['missing'] })).toThrow('must build at directory');
  });
});
