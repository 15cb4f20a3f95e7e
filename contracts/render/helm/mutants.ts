import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, type Random } from '../../../src/apiserver/store/testing/random.js';
import type { HelmCase } from './cases.js';
import { copyFolder, type ChartFolder } from './charts.js';

const MAX_CHANGES = 6;

/** Words that stand for one another without breaking the grammar; what they do is another matter. */
const FAMILIES: readonly (readonly string[])[] = [
  [
    'quote',
    'squote',
    'upper',
    'lower',
    'title',
    'untitle',
    'trim',
    'trimAll "-"',
    'toString',
    'toJson',
    'toYaml',
    'b64enc',
    'sha256sum',
    'kebabcase',
    'camelcase',
    'snakecase',
    'nospace',
    'initials',
    'swapcase',
    'reverse',
    'first',
    'last',
    'rest',
    'initial',
    'len',
    'int',
    'int64',
    'float64',
    'atoi',
    'keys',
    'values',
    'toPrettyJson',
    'toRawJson',
    'toToml',
    'fromYaml',
    'fromJson',
    'fromYamlArray',
    'typeOf',
    'kindOf',
    'not',
    'empty',
    'print',
    'println',
    'uniq',
    'compact',
    'sortAlpha',
    'html',
    'js',
    'urlquery',
    'floor',
    'ceil',
    'add1',
    'base',
    'dir',
    'ext',
    'clean',
    'isAbs',
    'adler32sum',
    'sha1sum',
    'toYamlPretty',
    'deepCopy',
    'semver',
    'duration',
    'durationRound',
    'ago',
    'unixEpoch',
    'mustToJson',
    'mustToYaml',
    'toDecimal',
    'bool',
    'list',
    'tuple',
    'dict',
    'index',
    'slice',
    'concat',
    'join ","',
    'splitList "-"',
    'split "-"',
    'wrap 20',
    'plural "one" "many"',
    'ellipsis',
  ],
  [
    'indent',
    'nindent',
    'trunc',
    'repeat',
    'substr 0',
    'abbrev',
    'add',
    'sub',
    'mul',
    'div',
    'mod',
    'max',
    'min',
    'until',
    'untilStep 1',
    'round',
    'printf "%v %v"',
    'printf "%d"',
    'printf "%05d"',
    'eq',
    'ne',
    'wrap',
    'join',
    'list',
    'cat',
    'splitn "-"',
  ],
  [
    'trimSuffix',
    'trimPrefix',
    'contains',
    'hasPrefix',
    'hasSuffix',
    'default',
    'coalesce',
    'eq',
    'ne',
    'lt',
    'gt',
    'le',
    'ge',
    'cat',
    'list',
    'join',
    'split',
    'splitList',
    'regexMatch',
    'regexFind',
    'regexFindAll',
    'semverCompare',
    'print',
    'printf',
    'replace "-"',
    'append',
    'prepend',
    'has',
    'without',
    'dict',
    'ternary "a"',
    'and',
    'or',
    'date',
    'hasKey',
    'get',
    'pick',
    'omit',
    'pluck',
    'dig "a"',
    'merge',
    'mergeOverwrite',
    'concat',
    'required',
    'tpl',
    'include',
    'index',
    'trimAll',
    'nindent',
    'trim',
    'wrapWith 10',
    'dateModify',
    'toDate',
    'urlJoin',
    'regexSplit',
    'regexReplaceAll "a"',
    'kindIs',
    'typeIs',
    'deepEqual',
    'sha256sum',
    'derivePassword 1',
    'fail',
  ],
  [
    'if',
    'with',
    'range',
    'if not',
    'if and',
    'with or',
    'range list',
    'else if',
    'else with',
    'else',
    'if empty',
    'range $i, $e :=',
  ],
  ['and', 'or', 'coalesce', 'list', 'eq', 'print', 'merge', 'dict'],
  [
    '.Values',
    '.Release',
    '.Chart',
    '.Capabilities',
    '.Template',
    '.Files',
    '$',
    '.',
    '$.Values',
    '.Subcharts',
    '.Values.global',
    '.Release.Name',
    '.Chart.Metadata',
    '.Values.nothing',
    '.Chart.Version',
    '(.Files.Glob "**")',
    '.Capabilities.KubeVersion',
    '.Capabilities.APIVersions',
  ],
  [
    '.Release.Name',
    '.Release.Namespace',
    '.Release.Service',
    '.Release.Revision',
    '.Release.IsInstall',
    '.Chart.Name',
    '.Chart.AppVersion',
    '.Chart.Annotations',
    '.Chart.Keywords',
    '.Chart.Maintainers',
    '.Chart.Dependencies',
    '.Template.Name',
    '.Capabilities.KubeVersion.Version',
    '.Capabilities.KubeVersion.Minor',
    '.Capabilities.KubeVersion.GitVersion',
    '.Capabilities.HelmVersion',
    '.Chart.Type',
    '.Chart.IsRoot',
    '.Release.Nothing',
    '.Chart.Home',
    '.Chart.Sources',
    '.Chart.Deprecated',
    '.Chart.KubeVersion',
  ],
];

/** A case in a folder of its own, that `drop` removes. */
export interface Mutant extends HelmCase {
  drop(): void;
}

/** The chart with a few words of its templates changed by chance. */
export function mutantOf(chart: ChartFolder, seed: number): Mutant {
  const random = seededRandom(seed);
  const folder = join(tmpdir(), 'argosy-helm-mutants', `${chart.name.replaceAll('/', '-')}-${seed}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFolder(chart.folder, folder);
  const templates = filesBelow(join(folder, 'templates')).filter((path) => /\.(yaml|yml|tpl|txt)$/.test(path));
  const hash = createHash('sha256').update(chart.key);
  const changes = 1 + random.integer(MAX_CHANGES);
  for (let index = 0; index < changes && templates.length > 0; index++) {
    const path = random.pick(templates);
    const text = mutated(readFileSync(path, 'utf8'), random);
    writeFileSync(path, text);
    hash.update(`\0${path.slice(folder.length)}\0${text}`);
  }
  return {
    chart: { ...chart, folder, key: hash.digest('hex') },
    values: `mutant-${seed}`,
    files: [],
    options: {},
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    // A chart may have no templates.
    return [];
  }
}

/** One action of a template, changed. */
function mutated(text: string, random: Random): string {
  const actions = [...text.matchAll(/\{\{.*?\}\}/gs)];
  if (actions.length === 0) return text;
  const action = random.pick(actions);
  const [before, after] = [text.slice(0, action.index), text.slice(action.index + action[0].length)];
  return before + change(action[0], random) + after;
}

function change(action: string, random: Random): string {
  switch (random.integer(10)) {
    case 0:
      return random.chance(0.5)
        ? action.replace(/^\{\{-?\s*/, '{{- ').replace(/\s*-?\}\}$/, ' -}}')
        : action.replace(/^\{\{-/, '{{').replace(/-\}\}$/, '}}');
    case 1:
      return '';
    case 2:
      return action + action;
    case 3:
      return action.replace(/\}\}$/, ` | ${random.pick(FAMILIES[0] ?? [])} }}`).replace(/-( \| \S+.* )\}\}$/, '$1-}}');
    default:
      return replaced(action, random);
  }
}

/** A word that has others of its family takes the place of one of them. */
function replaced(action: string, random: Random): string {
  const words = [...action.matchAll(/[.$]?[A-Za-z][\w.]*|\$(?=[\s)}])/g)];
  const candidates = words.flatMap((word) =>
    FAMILIES.filter(
      (family) =>
        family.includes(word[0]) || family.some((each) => each.startsWith('.') && word[0].startsWith(`${each}.`)),
    ).map((family) => ({ word, family })),
  );
  if (candidates.length === 0) return action;
  const { word, family } = random.pick(candidates);
  const known =
    family
      .filter((each) => word[0] === each || word[0].startsWith(`${each}.`))
      .sort((a, b) => b.length - a.length)[0] ?? word[0];
  return action.slice(0, word.index) + random.pick(family) + action.slice(word.index + known.length);
}
