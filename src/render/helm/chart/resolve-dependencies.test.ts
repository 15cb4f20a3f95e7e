import { describe, expect, it } from 'vitest';
import { Fault } from '../../../model/faults/index.js';
import { needKey } from '../../common/needs.js';
import { tarGz } from '../../testing/tar.js';
import { treeOf, type TreeShape } from '../../testing/tree.js';
import { TreeReader } from '../../common/tree-reader.js';
import { renderChart, type RenderChartOutcome } from '../render-chart.js';

const CONTEXT = { now: () => 0n, random: (count: number) => new Uint8Array(count), zone: 'UTC' };
const PART = 'kind: Part\nname: {{ .Chart.Name }} {{ .Chart.Version }}\n';

function parent(dependency: string): TreeShape {
  return {
    'apps/shop/Chart.yaml': `apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- ${dependency}\n`,
    'apps/shop/templates/a.yaml': 'kind: Shop\n',
    'libs/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.4.0\n',
    'libs/db/templates/part.yaml': PART,
  };
}

function render(shape: TreeShape, charts: ReadonlyMap<string, Uint8Array> = new Map()): RenderChartOutcome {
  const reader = new TreeReader(treeOf(shape));
  return renderChart({
    source: { kind: 'folder', reader, path: 'apps/shop' },
    release: { name: 'r', namespace: 'n' },
    values: [],
    sets: [],
    charts,
    kubeVersion: '1.34.4',
    context: CONTEXT,
  });
}

function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('a dependency that is not in charts/', () => {
  it('comes from a folder of the same repository', () => {
    const outcome = render(parent('{name: db, version: ^1, repository: "file://../../libs/db"}'));
    expect(outcome.kind === 'rendered' ? outcome.text : '').toContain(
      '# Source: shop/charts/db/templates/part.yaml\nkind: Part\nname: db 1.4.0',
    );
  });

  it.each(['file://../../../other', 'file:///etc/chart', 'file://../../libs/out'])(
    'never comes from %s',
    (repository) => {
      const shape = {
        ...parent(`{name: db, version: "*", repository: "${repository}"}`),
        'libs/out': { to: '../../CANARY' },
      };
      const fault = faultOf(() => render(shape));
      expect(fault.code).toBe('RENDER_PATH_ESCAPE');
      expect(`${fault.message} ${fault.where}`).not.toContain('CANARY');
    },
  );

  it('has to be of the version that is asked for', () => {
    expect(faultOf(() => render(parent('{name: db, version: ^2, repository: "file://../../libs/db"}'))).message).toBe(
      "can't get a valid version for dependency db",
    );
  });

  it('of a chart repository is asked for, in the version that the lock names, and used once it is there', () => {
    const shape = {
      ...parent('{name: db, version: ^1, repository: "https://charts.example"}'),
      'apps/shop/Chart.lock': 'dependencies:\n- {name: db, repository: https://charts.example, version: 1.9.0}\n',
    };
    const need = { kind: 'chart', repository: 'https://charts.example', name: 'db', version: '1.9.0' } as const;
    expect(render(shape)).toEqual({ kind: 'needs', needs: [need] });
    const archive = tarGz([
      { name: 'db/Chart.yaml', content: 'apiVersion: v2\nname: db\nversion: 1.9.0\n' },
      { name: 'db/templates/part.yaml', content: PART },
    ]);
    const outcome = render(shape, new Map([[needKey(need), archive]]));
    expect(
      outcome.kind === 'rendered' ? outcome.manifests.map(({ object, origin }) => [object.kind, origin]) : [],
    ).toEqual([
      ['Part', { file: 'db-1.9.0.tgz!templates/part.yaml', line: 1 }],
      ['Shop', { file: 'apps/shop/templates/a.yaml', line: 1 }],
    ]);
  });

  it('without a repository that can be reached is missing', () => {
    expect(faultOf(() => render(parent('{name: db, version: ^1, repository: "@alias"}'))).message).toMatch(
      /found in Chart.yaml, but missing in charts\/ directory: db$/,
    );
  });
});

describe('a chart in a tree', () => {
  it('asks for everything it lacks at once', () => {
    const tree = treeOf(parent('{name: db, version: ^1, repository: "file://../../libs/db"}'));
    const shop = tree.root.entries.get('apps');
    const folder = shop?.kind === 'folder' ? shop.entries.get('shop') : undefined;
    if (folder?.kind === 'folder') {
      for (const [name, node] of folder.entries)
        if (node.kind === 'file' && name !== 'Chart.yaml')
          (folder.entries as Map<string, unknown>).set(name, { ...node, bytes: undefined });
      const templates = folder.entries.get('templates');
      if (templates?.kind === 'folder')
        for (const [name, node] of templates.entries)
          (templates.entries as Map<string, unknown>).set(name, { ...node, bytes: undefined });
    }
    const outcome = renderChart({
      source: { kind: 'folder', reader: new TreeReader(tree), path: 'apps/shop' },
      release: { name: 'r', namespace: 'n' },
      values: [],
      sets: [],
      charts: new Map(),
      kubeVersion: '1.34.4',
      context: CONTEXT,
    });
    expect(
      outcome.kind === 'needs' ? outcome.needs.map((need) => (need.kind === 'file' ? need.path : '')) : [],
    ).toEqual(['apps/shop/templates/a.yaml']);
  });

  it('may link inside the repository, and not out of it or round in circles', () => {
    const base = parent('{name: db, version: ^1, repository: "file://../../libs/db"}');
    const linked = render({
      ...base,
      'apps/shop/templates/linked.yaml': { to: '../../../libs/db/templates/part.yaml' },
    });
    expect(linked.kind === 'rendered' ? linked.text : '').toContain(
      '# Source: shop/templates/linked.yaml\nkind: Part\nname: shop 1.0.0',
    );
    expect(faultOf(() => render({ ...base, 'apps/shop/templates/out.yaml': { to: '../../../../CANARY' } })).code).toBe(
      'RENDER_PATH_ESCAPE',
    );
    expect(faultOf(() => render({ ...base, 'apps/shop/files/loop': { to: '.' } })).code).toMatch(
      /RENDER_PATH_ESCAPE|RENDER_LIMIT/,
    );
    expect(faultOf(() => render({ ...base, 'apps/shop/files/broken': { to: 'nowhere' } })).message).toContain(
      'error evaluating symlink apps/shop/files/broken',
    );
  });
});
