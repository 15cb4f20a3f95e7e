import { describe, expect, it } from 'vitest';
import { treeOf, type TreeShape } from '../testing/tree.js';
import { TreeReader } from '../common/tree-reader.js';
import type { ChartInput, ValuesDocument } from './prepare-chart.js';
import { traceValues, type ValueOrigin, type ValuesTrace } from './trace-values.js';

const CHART: TreeShape = {
  'app/Chart.yaml':
    'apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: db, version: "*", alias: store, ' +
    'condition: store.on}\n',
  'app/values.yaml':
    '# defaults\nreplicas: 1\nimage:\n  tag: latest\n  pull: Always\ntolerations: []\nnodeSelector: {pool: ' +
    'any}\nstore:\n  on: true\n  size: 2\nglobal: {region: eu}\n',
  'app/charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
  'app/charts/db/values.yaml': 'size: 1\nport: 5432\nglobal:\n  region: us\n  own: 1\n',
};

const GLOBALS = { name: 'globals.yaml', text: 'nodeSelector:\n  pool: dev\ntolerations:\n- key: env\n  value: dev\n' };
const SHARED = { name: 'agents.yaml', text: 'nodeSelector: {}\ntolerations: []\nimage:\n  tag: v2\n' };

function trace(values: readonly ValuesDocument[], sets: ChartInput['sets'] = []): ValuesTrace {
  return traceValues({
    source: { kind: 'folder', reader: new TreeReader(treeOf(CHART)), path: 'app' },
    values,
    sets,
    charts: new Map(),
  });
}

function show(origin: ValueOrigin | undefined): string {
  if (origin === undefined) return 'nothing';
  const place = (one: { readonly file: string; readonly line: number; readonly column: number }): string =>
    `${one.file}:${one.line}:${one.column}`;
  const lost = origin.shadowed.map((one) => `${JSON.stringify(one.value)} at ${place(one.place)}`).join(', ');
  return (
    `${origin.removed ? 'removed' : JSON.stringify(origin.value)} at ` +
    `${origin.place === undefined ? '?' : place(origin.place)}${lost === '' ? '' : `, over ${lost}`}`
  );
}

function of(result: ValuesTrace, path: string): string {
  return show(result.values.find((origin) => origin.path.join('.') === path));
}

describe('a value tells', () => {
  it('which file, line and column set it', () => {
    const result = trace([]);
    expect(of(result, 'replicas')).toBe('1 at app/values.yaml:2:1');
    expect(of(result, 'image.tag')).toBe('"latest" at app/values.yaml:4:3');
    expect(of(result, 'store.port')).toBe('5432 at app/charts/db/values.yaml:2:1');
  });

  it('whom it shadows: the subchart, the parent, the globals, a file, a single value', () => {
    const result = trace([GLOBALS, SHARED], [{ kind: 'set', text: 'image.tag=v3,store.size=9' }]);
    expect(of(result, 'image.tag')).toBe(
      '"v3" at --set image.tag=v3,store.size=9:0:0, over "v2" at agents.yaml:4:3, "latest" at app/values.yaml:4:3',
    );
    expect(of(result, 'store.global.region')).toBe(
      '"eu" at app/values.yaml:11:10, over "us" at app/charts/db/values.yaml:4:3',
    );
    expect(of(result, 'store.global.own')).toBe('1 at app/charts/db/values.yaml:5:3');
    expect(of(result, 'nodeSelector.pool')).toBe('"dev" at globals.yaml:2:3, over "any" at app/values.yaml:7:16');
  });

  it('that a null took it away', () => {
    expect(of(trace([{ name: 'v.yaml', text: 'a: 1\n---\nimage:\n  pull: null\n' }]), 'image.pull')).toBe(
      'removed at v.yaml:4:3, over "Always" at app/values.yaml:5:3',
    );
  });

  it('what an Application itself says, without a line', () => {
    expect(of(trace([{ name: 'valuesObject', object: { replicas: 3 } }]), 'replicas')).toBe(
      '3 at valuesObject:0:0, over 1 at app/values.yaml:2:1',
    );
  });
});

describe('an empty override', () => {
  it('of a list hides what is inherited; one of a map does not, because maps are merged', () => {
    const { findings } = trace([GLOBALS, SHARED]);
    expect(findings).toEqual([
      {
        rule: 'empty-override-shadows-inherited-value',
        path: ['tolerations'],
        override: { place: { file: 'agents.yaml', line: 2, column: 1 }, value: [] },
        hidden: { place: { file: 'globals.yaml', line: 3, column: 1 }, value: [{ key: 'env', value: 'dev' }] },
      },
    ]);
  });

  it('may be a null or an empty text', () => {
    const { findings } = trace([{ name: 'v.yaml', text: 'image: {tag: "", pull: ~}\nstore: {size: null}\n' }]);
    expect(findings.map(({ path }) => path.join('.'))).toEqual(['image.pull', 'image.tag', 'store.size']);
  });

  it('that the file itself corrects, or over nothing, is none', () => {
    expect(trace([{ name: 'v.yaml', text: 'fresh: []\nreplicas: 0\n' }]).findings).toEqual([]);
  });
});
