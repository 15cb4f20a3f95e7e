import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { renderChart } from '../helm/index.js';
import { attempt, chart, type Attempt } from './attempt.js';
import { treeOf, type TreeShape } from '../testing/index.js';
import { TreeReader } from '../common/index.js';

const LARGE = 20_000;
const letters = 'abcdefghijklmnop'.split('');
const laughs = (line: (name: string, before: string) => string): string =>
  letters.map((name, index) => line(name, letters[index - 1] ?? '')).join('\n');
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/**
 * Texts made to take a reader's time, memory or stack. Each is a mapping at its top, so that it may stand for any file.
 */
export const BOMBS: Readonly<Record<string, string>> = {
  'lists of aliases': laughs(
    (name, before) => `${name}: &${name} [${before === '' ? 'lol' : `*${before},`.repeat(9)}]`,
  ),
  'mappings of aliases': laughs(
    (name, before) => `${name}: &${name} {${before === '' ? 'x: lol' : lines(9, (i) => `k${i}: *${before},`)}}`,
  ),
  'block lists of aliases': laughs(
    (name, before) => `${name}: &${name}\n${before === '' ? '- lol' : `- *${before}\n`.repeat(9)}`,
  ),
  'merges of merges': laughs(
    (name, before) =>
      `${name}: &${name}\n  k${name}: 1\n` +
      (before === '' ? '' : `  x: *${before}\n  y: *${before}\n  <<: *${before}\n`),
  ),
  'lists of merges': laughs(
    (name, before) => `${name}: &${name} {${before === '' ? 'x: 1' : `<<: [${`*${before},`.repeat(50)}]`}}`,
  ),
  'a chain of merges': lines(1500, (i) => `m${i}: &m${i} {${i === 0 ? '' : `<<: *m${i - 1}, `}k${i}: 1}`),
  'a chain of wrapped aliases': lines(1500, (i) => `m${i}: &m${i} [${i === 0 ? '1' : `*m${i - 1}`}]`),
  'an alias of a large list, many times': `a: &a [${'1,'.repeat(5_000)}]\n${lines(5_000, (i) => `k${i}: *a`)}`,
  'an anchor inside itself': 'a: &a [*a]',
  'a merge of itself': 'a: &a {<<: *a}',
  'anchors inside each other': 'a: &a {b: &b {c: *a, d: *b}}',
  '20,000 open lists': `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '20,000 lists never closed': `a: ${'['.repeat(20_000)}`,
  '20,000 open mappings': `${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`,
  'mappings never closed': '{a: '.repeat(LARGE),
  '20,000 block lists on a line': `a:\n${'- '.repeat(20_000)}a`,
  'a staircase of block mappings': lines(2000, (i) => `${' '.repeat(i)}a:`),
  '20,000 explicit keys on a line': `${'? '.repeat(20_000)}a`,
  'flow keys that are flow keys': `a: ${'{'.repeat(5000)}${'}: 1'.repeat(5000)}`,
  'very many brackets in a plain text': `a: x${'[{'.repeat(LARGE)}`,
  'very many empty lines in quotes': `a: "x${'\n'.repeat(LARGE)}  y"`,
  'very many empty lines in a plain text': `a: x${'\n'.repeat(LARGE)}  y`,
  'a folded text of very many lines': `a: >\n${'  x\n'.repeat(LARGE)}`,
  'very many escapes': `a: "${'\\n'.repeat(LARGE)}"`,
  'a quote never closed': `a: "${'x '.repeat(LARGE)}`,
  'very many digits': `a: ${'1'.repeat(LARGE)}`,
  'base 60 without end': `a: ${'1:'.repeat(LARGE)}x`,
  'very many repeated keys': 'a: 1\n'.repeat(LARGE),
  'very many different keys': lines(LARGE, (i) => `k${i}: 1`),
  'very many anchors': `a:\n${lines(LARGE, (i) => `- &a${i} x`)}`,
  'very many tags': `a:\n${'- !!str x\n'.repeat(LARGE)}`,
  'a tag of very many characters': `a: !${'x'.repeat(LARGE)} y`,
  'very many documents': 'a: 1\n---\n'.repeat(LARGE),
  'an ordered map of very many entries': `a: !!omap\n${lines(10_000, (i) => `- k${i}: 1`)}`,
  'a key of very many characters': `? ${'x'.repeat(LARGE)}\n: 1`,
};

const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
const CHART_FILE = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';

/** Every file that is read as YAML or JSON, and every other way in. */
const PATHS: Readonly<Record<string, (bomb: string) => { readonly files: TreeShape; readonly source?: JsonObject }>> = {
  'values.yaml': (bomb) => ({ files: chart('a: {{ len .Values }}', bomb) }),
  'a values file': (bomb) => ({
    files: chart('a: {{ len .Values }}', '{}', { 'more.yaml': bomb }),
    source: { helm: { valueFiles: ['more.yaml'] } },
  }),
  'Chart.yaml': (bomb) => ({ files: chart('a: 1', '{}', { 'Chart.yaml': `${CHART_FILE}${bomb}` }) }),
  'what a template gives': (bomb) => ({
    files: chart(`${OBJECT}data:\n{{ .Files.Get "bomb" | indent 2 }}\n`, '{}', { bomb }),
  }),
  'fromYaml in a template': (bomb) => ({ files: chart('a: {{ fromYaml (.Files.Get "bomb") | len }}', '{}', { bomb }) }),
  'a definition in crds/': (bomb) => ({ files: chart('a: 1', '{}', { 'crds/a.yaml': `${OBJECT}${bomb}` }) }),
  'a file of a directory': (bomb) => ({ files: { 'a.yaml': `${OBJECT}${bomb}` } }),
  'settings in the repository': (bomb) => ({ files: { 'a.yaml': OBJECT, '.argocd-source.yaml': bomb } }),
  'a kustomization': (bomb) => ({ files: { 'kustomization.yaml': `resources: [a.yaml]\n${bomb}`, 'a.yaml': OBJECT } }),
  'a resource of a kustomization': (bomb) => ({
    files: { 'kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: p-\n', 'a.yaml': `${OBJECT}${bomb}` },
  }),
  'a patch of a kustomization': (bomb) => ({
    files: {
      'kustomization.yaml': 'resources: [a.yaml]\npatches: [{path: p.yaml}]\n',
      'a.yaml': OBJECT,
      'p.yaml': `${OBJECT}${bomb}`,
    },
  }),
  'a JSON patch of a kustomization': (bomb) => ({
    files: {
      'kustomization.yaml': 'resources: [a.yaml]\npatches: [{path: p.yaml, target: {kind: ConfigMap}}]\n',
      'a.yaml': OBJECT,
      'p.yaml': bomb,
    },
  }),
};

/**
 * Ways whose reader is that of `a resource of a kustomization`: bombs of aliases, which take all that the reader may
 * give, need not be told twice.
 */
const SAME_READER = ['a patch of a kustomization', 'a JSON patch of a kustomization'];
const fitting = (way: string): [string, string][] =>
  Object.entries(BOMBS).filter(([name]) => !SAME_READER.includes(way) || !/alias|merge/.test(name));

/** Every way in, with the bombs for it. */
export const WAYS: readonly {
  readonly way: string;
  readonly bombs: readonly { readonly name: string; readonly run: () => Attempt }[];
}[] = Object.entries(PATHS).map(([way, place]) => ({
  way,
  bombs: fitting(way).map(([name, bomb]) => ({
    name,
    run: () => {
      const { files, source = {} } = place(bomb);
      return attempt(files, source);
    },
  })),
}));

/** Texts for `--set-json`, `--set` and `--set-string`. */
const SETS: readonly (readonly [string, string])[] = [
  ['a list without end', `a=${'['.repeat(20_000)}`],
  ['20,000 lists', `a=${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['20,000 objects', `a=${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['very many digits', `a=${'1'.repeat(LARGE)}`],
  ['very many keys', `a={${lines(LARGE, (i) => `"k${i}":1,`)}"z":1}`],
  ['the same key very often', `a={${'"k":1,'.repeat(LARGE)}"z":1}`],
  ['a key of very many parts', `${'a.'.repeat(LARGE)}b=1`],
  ['a large index', 'a[99999999]=1'],
  ['a larger index', 'a[65536][65536]=1'],
  ['very many lists', `a${'[0]'.repeat(5_000)}=1`],
];

export const SET_BOMBS = SETS.map(([name, text]) => ({
  name,
  kinds: (['set-json', 'set', 'set-string'] as const).map((kind) => ({ kind, run: () => applySet(kind, text) })),
}));

/** The code of the fault, or `rendered`. */
function applySet(kind: 'set-json' | 'set' | 'set-string', text: string): string {
  try {
    renderChart({
      source: { kind: 'folder', reader: new TreeReader(treeOf(chart('a: {{ len .Values }}'))), path: '' },
      values: [],
      sets: [{ kind, text }],
      charts: new Map(),
      release: { name: 'a', namespace: 'b' },
      kubeVersion: '1.34.4',
      context: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    });
    return 'rendered';
  } catch (error) {
    return error instanceof Fault ? error.code : 'defect';
  }
}
