import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HelmCase, HelmOptions } from './cases.js';

/** Something that helm 4.2.1 does otherwise than 3.19 did, shown by a small chart. */
export interface Change {
  readonly name: string;
  /** What a ConfigMap of the chart shows; left out where the chart's own templates do. */
  readonly shows?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: HelmOptions;
  /** A piece of what 4.2.1 gives; docs/render-differences.md has each of its lines. */
  readonly gives: string;
}

const chart = (name: string, more = ''): string => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`;
const dependencies = (list: string): string => chart('shop', `dependencies: [${list}]\n`);
const map = (shown: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shown\ndata:\n  shown: |-\n    ${shown}\n`;
const object = (kind: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: one\n`;

const VALUES = '{{ toJson .Values }}';
const DB = { 'charts/db/Chart.yaml': chart('db'), 'charts/db/templates/map.yaml': map(VALUES) };
const TWICE = dependencies('{name: db, version: 1.0.0, alias: one}, {name: db, version: 1.0.0, alias: two}');
const DISK = {
  'charts/db/charts/disk/Chart.yaml': chart('disk'),
  'charts/db/charts/disk/templates/map.yaml': map('{{ .Template.Name }}'),
};
const toml = (text: string): string => `{{ fromToml ${JSON.stringify(text)} | toJson }}`;

export const CHANGES: readonly Change[] = [
  {
    name: 'a default that is null is not there',
    shows: VALUES,
    files: { 'values.yaml': 'log: {level: null, json: true}\n' },
    gives: '{"log":{"json":true}}',
  },
  {
    name: 'a null that hides no default stays',
    shows: VALUES,
    files: { 'values.yaml': 'log: {json: true}\n' },
    options: { set: ['log.level=null'] },
    gives: '{"log":{"json":true,"level":null}}',
  },
  {
    name: 'a null of a chart does not take a default away from its subchart',
    files: { ...DB, 'charts/db/values.yaml': 'port: 5432\n', 'values.yaml': 'db: {port: null}\n' },
    gives: '{"global":{},"port":5432}',
  },
  {
    name: 'a global that is null does not hide that of a subchart',
    files: { ...DB, 'charts/db/values.yaml': 'global: {image: nginx}\n', 'values.yaml': 'global: {image: null}\n' },
    gives: '{"global":{"image":"nginx"}}',
  },
  {
    name: 'a null over an imported value removes it',
    shows: VALUES,
    files: {
      'Chart.yaml': dependencies('{name: db, version: 1.0.0, import-values: [{child: net, parent: net}]}'),
      'charts/db/Chart.yaml': chart('db'),
      'charts/db/values.yaml': 'net: {port: 5432, host: db}\n',
      'values.yaml': 'net: {port: null}\n',
    },
    gives: '"net":{"host":"db"}',
  },
  {
    name: 'a schema does not see a default that is null',
    shows: VALUES,
    files: { 'values.yaml': 'size: null\n', 'values.schema.json': '{"required":["size"]}' },
    gives: "- at '': missing property 'size'",
  },
  {
    name: 'every document of a values file counts',
    shows: VALUES,
    files: { 'values.yaml': 'size: 1\n---\nsize: 2\ncolour: red\n' },
    gives: '{"colour":"red","size":2}',
  },
  {
    name: 'a values file that is no YAML',
    shows: VALUES,
    files: { 'values.yaml': 'size: [\n' },
    gives: 'cannot load values.yaml: cannot unmarshal yaml document: error converting YAML to JSON: yaml: ',
  },
  { name: 'a field that Chart.yaml does not know is empty', shows: '[{{ .Chart.Team }}]', gives: '[]' },
  {
    name: 'the chart has no Metadata',
    shows: '{{ .Chart.Metadata.Name }}',
    gives: 'nil pointer evaluating interface {}.Name',
  },
  {
    name: 'the chart as YAML has the names of Go',
    shows: '{{ toJson .Chart.Maintainers }}',
    files: { 'Chart.yaml': chart('shop', 'maintainers: [{name: ann}]\n') },
    gives: '[{"Email":"","Name":"ann","URL":""}]',
  },
  { name: 'the chart is a map', shows: '{{ get .Chart "Name" }} {{ kindOf .Chart }}', gives: 'shop map' },
  {
    name: 'the version of Kubernetes keeps what its vendor added',
    shows: '{{ semverCompare ">=1.30.0" .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.Version }}',
    options: { kubeVersion: 'v1.33.4-gke.12' },
    gives: 'false v1.33.4-gke.12',
  },
  {
    name: 'old versions of autoscaling are no longer taken for granted',
    shows: '{{ .Capabilities.APIVersions.Has "autoscaling/v2beta2" }} {{ len .Capabilities.APIVersions }}',
    gives: 'false 55',
  },
  {
    name: 'the version of Helm',
    shows: '{{ .Capabilities.HelmVersion.Version }} {{ semverCompare "^3.8.0" .Capabilities.HelmVersion.Version }}',
    gives: 'v4.2 false',
  },
  {
    name: 'functions that fail instead of saying nothing',
    shows: '{{ mustToYaml (dict "a" 1) }} {{ mustToToml (dict "a" 1) }}',
    gives: 'a: 1 a = 1',
  },
  {
    name: 'numbers in TOML',
    shows: '{{ toToml .Values }}',
    files: { 'values.yaml': 'bytes: 30000000\n' },
    gives: 'bytes = 3e+07',
  },
  { name: 'TOML 1.1 is read', shows: toml('a = {\n  b = 10:30,\n}'), gives: '{"a":{"b":"0000-01-01T10:30:00Z"}}' },
  {
    name: 'a range of versions has at most 32 parts',
    shows: '{{ semverCompare (printf "%s2.0.0" (repeat 32 "1.0.0 || ")) "1.0.0" }}',
    gives: 'too many constraint groups (max 32)',
  },
  {
    name: 'a version has at most 256 bytes',
    shows: '{{ semver (printf "1.0.0-%s" (repeat 251 "a")) }}',
    gives: 'version string is too long (max 256 bytes)',
  },
  {
    name: 'a range that is none is quoted',
    shows: '{{ semverCompare "a b" "1.0.0" }}',
    gives: 'improper constraint: "a b"',
  },
  {
    name: 'webhooks come before the kinds that Helm does not know',
    files: { 'templates/a.yaml': object('Certificate'), 'templates/b.yaml': object('ValidatingWebhookConfiguration') },
    gives:
      '# Source: shop/templates/b.yaml\napiVersion: v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  ' +
      'name: one\n\n---\n# Source: shop/templates/a.yaml\napiVersion: v1\nkind: Certificate',
  },
  {
    name: 'blank lines at the end of a file stay',
    files: {
      'templates/a.yaml': `${object('ConfigMap')}data:\n  text: |+\n    x\n\n\n`,
      'templates/b.yaml': object('ConfigMap'),
    },
    gives: '  text: |+\n    x\n\n\n\n---\n# Source: shop/templates/b.yaml',
  },
  {
    name: 'a chart that is there twice brings its own charts along twice',
    files: { 'Chart.yaml': TWICE, ...DB, ...DISK },
    gives: 'shop/charts/two/charts/disk/templates/map.yaml',
  },
  {
    name: 'an alias inside a chart that is there twice holds for both',
    files: {
      'Chart.yaml': TWICE,
      ...DB,
      ...DISK,
      'charts/db/Chart.yaml': chart('db', 'dependencies: [{name: disk, version: 1.0.0, alias: store}]\n'),
    },
    gives: 'shop/charts/two/charts/store/templates/map.yaml',
  },
  {
    name: 'charts of another API version',
    files: { 'Chart.yaml': chart('shop').replace('v2', 'v3'), 'templates/map.yaml': object('ConfigMap') },
    gives: 'invalid chart apiVersion',
  },
  {
    name: 'charts of an unknown API version',
    files: { 'Chart.yaml': chart('shop').replace('v2', 'v9'), 'templates/map.yaml': object('ConfigMap') },
    gives: 'unsupported chart version',
  },
  {
    name: 'a chart called ..',
    files: { 'Chart.yaml': chart('..'), 'templates/map.yaml': object('ConfigMap') },
    gives: 'validation: chart.metadata.name ".." is not allowed',
  },
  {
    name: 'errors of templates stand on lines of their own',
    shows: '{{ .Values.image.tag }}',
    gives:
      'shop/templates/map.yaml:7:14\n  executing "shop/templates/map.yaml" at <.Values.image.tag>:\n    nil ' +
      'pointer evaluating interface {}.tag',
  },
  {
    name: 'names of Go types',
    shows: '{{ typeOf .Values }} {{ typeOf .Capabilities }}',
    gives: 'common.Values *common.Capabilities',
  },
];

/** The chart of a change, written below a folder. */
export function caseOf({ name, shows, files, options }: Change, place: string): HelmCase {
  const all: Record<string, string> = {
    'Chart.yaml': chart('shop'),
    ...(shows === undefined ? {} : { 'templates/map.yaml': map(shows) }),
    ...files,
  };
  const folder = join(place, name.replaceAll(/\W+/g, '-'), 'chart');
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const key = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  return { chart: { name, folder, key, without: [] }, values: 'default', files: [], options: options ?? {} };
}
