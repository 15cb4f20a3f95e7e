import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeYaml } from '../../../src/model/yaml/index.js';
import type { JsonObject } from '../../../src/model/json/index.js';
import { findUnsetShellVariables, renderChart, TreeReader } from '../../../src/render/index.js';
import { folderTree } from '../folder-tree.js';
import type { HelmCase } from './cases.js';
import { compareRuns } from './difference.js';
import { runOurs } from './ours.js';
import { RealHelm } from './real-helm.js';

/**
 * The user's document about values that are not resolved. Its templates are read from there, line by line, and put into
 * a chart.
 */
const SEEDS = join(import.meta.dirname, '../../../../shared/seeds');
const seed = existsSync(SEEDS) ? readdirSync(SEEDS).find((file) => file.startsWith('000')) : undefined;
const helm = await RealHelm.open();
const helmMissing = typeof helm === 'string' ? helm : undefined;
const absent = seed === undefined ? 'skipped: seed 000 (../shared/seeds is not there)' : helmMissing;

const HEAD = 'apiVersion: build.openshift.io/v1\nkind: BuildConfig\nmetadata:\n  name: notebook-validator';
/** Each map is there, nothing is set. */
const MAPS = { imageBuilds: { gitRepository: '' }, git: { repoURL: '' }, global: { git: { repoURL: '' } } };

interface SeedCase {
  readonly name: string;
  readonly template: 'chain' | 'safe chain' | 'required' | 'wait';
  readonly values: JsonObject;
  /** What both give: a piece of the text, or of the error. */
  readonly has?: string;
  readonly hasNot?: string;
  readonly fails?: string;
}

const CASES: readonly SeedCase[] = [
  {
    name: 'the chain takes its first value',
    template: 'chain',
    values: { ...MAPS, imageBuilds: { gitRepository: 'https://git/first' } },
    has: 'uri: https://git/first',
  },
  {
    name: 'the chain takes its second value',
    template: 'chain',
    values: { ...MAPS, git: { repoURL: 'https://git/second' } },
    has: 'uri: https://git/second',
  },
  {
    name: 'the chain takes the global value',
    template: 'chain',
    values: { ...MAPS, global: { git: { repoURL: 'https://git/third' } } },
    has: 'uri: https://git/third',
  },
  {
    name: 'the chain stops at a missing map although its first value is set',
    template: 'chain',
    values: { imageBuilds: { gitRepository: 'https://git/first' } },
    fails: 'nil pointer evaluating interface {}.repoURL',
  },
  {
    name: 'the chain stops at a missing global although its first value is set',
    template: 'chain',
    values: { imageBuilds: { gitRepository: 'https://git/first' }, git: {} },
    fails: 'nil pointer evaluating interface {}.git',
  },
  {
    name: 'the chain drops the spec without a word when nothing is set',
    template: 'chain',
    values: MAPS,
    has: 'name: notebook-validator',
    hasNot: 'spec:',
  },
  {
    name: 'the safe chain takes its first value without the other maps',
    template: 'safe chain',
    values: { imageBuilds: { gitRepository: 'https://git/first' } },
    has: 'uri: https://git/first',
  },
  {
    name: 'the safe chain takes the global value without the other maps',
    template: 'safe chain',
    values: { global: { git: { repoURL: 'https://git/third' } } },
    has: 'uri: https://git/third',
  },
  {
    name: 'the safe chain says what is required when nothing is set',
    template: 'safe chain',
    values: {},
    fails: 'git.repoURL is required',
  },
  {
    name: 'required takes the value',
    template: 'required',
    values: { ...MAPS, git: { repoURL: 'https://git/second' } },
    has: 'uri: https://git/second',
  },
  { name: 'required says its message', template: 'required', values: MAPS, fails: 'git.repoURL is required' },
  {
    name: 'required never speaks where a map is missing',
    template: 'required',
    values: {},
    fails: 'nil pointer evaluating interface {}.repoURL',
  },
  { name: 'the helper that waits for an image', template: 'wait', values: {}, has: 'while [ $ELAPSED -lt $TIMEOUT ]' },
  {
    name: 'the helper that waits for an image, for a time of its own',
    template: 'wait',
    values: { timeout: 60 },
    has: 'TIMEOUT=60',
  },
];

function lines(first: number, last: number): string {
  return readFileSync(join(SEEDS, seed ?? ''), 'utf8')
    .split('\n')
    .slice(first - 1, last)
    .join('\n');
}

function filesOf(template: SeedCase['template']): Record<string, string> {
  switch (template) {
    case 'chain':
      return { 'templates/build.yaml': `${HEAD}\n${lines(45, 51)}\n` };
    case 'safe chain': {
      // As the document's chain is repaired: every map in parentheses, and an error instead of nothing.
      const chain = lines(45, 45)
        .replaceAll('.Values.imageBuilds.', '(.Values.imageBuilds).')
        .replaceAll('.Values.git.', '(.Values.git).')
        .replaceAll('.Values.global.git.', '((.Values.global).git).')
        .replace('default ""', 'required "git.repoURL is required"');
      return { 'templates/build.yaml': `${HEAD}\n${chain}\n${lines(46, 51)}\n` };
    }
    case 'required':
      return { 'templates/build.yaml': `${HEAD}\n${lines(262, 262)}\n${lines(46, 51)}\n` };
    case 'wait':
      return {
        'templates/_helpers.tpl': `${lines(218, 249)}\n`,
        'templates/wait.yaml':
          '{{ include "wait-for-image" (dict "name" "validator" "syncWave" "-3" "serviceAccount" "builder" ' +
          '"imageTag" "validator:latest" "namespace" .Release.Namespace "timeout" .Values.timeout) }}\n',
      };
  }
}

const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

function caseOf({ name, template, values }: SeedCase): HelmCase {
  const place = mkdtempSync(join(tmpdir(), 'argosy-seed-'));
  places.push(place);
  const files: Record<string, string> = {
    'Chart.yaml': 'apiVersion: v2\nname: image-builds\nversion: 1.0.0\n',
    ...filesOf(template),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, 'chart', path)), { recursive: true });
    writeFileSync(join(place, 'chart', path), text);
  }
  writeFileSync(join(place, 'values.yaml'), writeYaml(values));
  const key = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return {
    chart: { name, folder: join(place, 'chart'), key, without: [] },
    values: 'seed',
    files: [join(place, 'values.yaml')],
    options: {},
  };
}

describe('templates of the user, with the words of the real helm', () => {
  if (absent !== undefined || typeof helm === 'string') {
    it.skip(absent ?? '', () => {
      /* the name says why */
    });
    return;
  }

  it.each(CASES)('$name', async (each) => {
    const wanted = caseOf(each);
    const real = await helm.run(wanted);
    const ours = runOurs(wanted, real.at);
    expect(await compareRuns(real, () => helm.runAgain(wanted), ours)).toEqual({
      verdict: each.fails === undefined ? 'equal' : 'fails alike',
      first: '',
    });
    const said = ours.kind === 'text' ? ours.text : ours.message;
    expect(said).toContain(each.fails ?? each.has);
    if (each.hasNot !== undefined) expect(said).not.toContain(each.hasNot);
  });

  it('the finding says that nothing sets ELAPSED', () => {
    const { chart } = caseOf({ name: 'wait', template: 'wait', values: {} });
    const outcome = renderChart({
      source: { kind: 'folder', reader: new TreeReader(folderTree(chart.folder)), path: '' },
      values: [],
      sets: [],
      charts: new Map(),
      release: { name: 'release', namespace: 'demo' },
      kubeVersion: '1.34.4',
      apiVersions: [],
      includeCrds: false,
      context: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    });
    const found =
      outcome.kind === 'rendered' ? findUnsetShellVariables(outcome.manifests).map(({ message }) => message) : [];
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('ELAPSED');
  });
});
