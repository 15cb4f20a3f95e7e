import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seededRandom, type Random } from '../../../src/apiserver/store/testing/random.js';
import { put, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { writeYaml } from '../../../src/model/yaml/index.js';
import type { HelmOptions } from './cases.js';
import type { Mutant } from './mutants.js';

const MAX_DEPTH = 3;
const NAMES = ['front', 'back', 'cache', 'queue', 'lib'];

/**
 * A chart made by chance: subcharts with conditions, tags, aliases and imports, globals, hooks, odd documents, ignored
 * files.
 */
export function randomChart(seed: number): Mutant {
  const random = seededRandom(seed);
  const files = new Map<string, string>();
  writeChart(files, '', 'shop', random, 0);
  const root = join(tmpdir(), 'argosy-helm-random', String(seed));
  const folder = join(root, 'chart');
  rmSync(root, { recursive: true, force: true });
  const given = Array.from({ length: random.integer(3) }, (_, index) => ({
    path: join(root, `values-${index}.yaml`),
    text: writeYaml(valuesOf(random, 0)),
  }));
  for (const [path, text] of [
    ...[...files].map(([name, each]) => [join(folder, name), each] as const),
    ...given.map(({ path: name, text: each }) => [name, each] as const),
  ]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const key = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex');
  return {
    chart: { name: 'random/chart', folder, key, without: [] },
    values: `random-${seed}`,
    files: given.map(({ path }) => path),
    options: optionsBy(random),
    drop: () => rmSync(root, { recursive: true, force: true }),
  };
}

function optionsBy(random: Random): HelmOptions {
  const set = Array.from({ length: random.integer(3) }, () =>
    random.pick([
      'a=1',
      'b.c=x,nested.d=true',
      'list={p,q}',
      'nested.a=null',
      'front.enabled=false',
      'tags.back=true',
      'global.name=g',
      'a\\.b=c',
      'list[2].k=v',
      'shared.a=0x1F',
      'b=1e3',
      'name="quoted"',
      'back.global.a=7',
    ]),
  );
  return {
    ...(set.length > 0 && random.chance(0.5) ? { set } : {}),
    ...(random.chance(0.5) ? { includeCrds: true } : {}),
  };
}

function writeChart(files: Map<string, string>, path: string, name: string, random: Random, depth: number): void {
  const isLibrary = depth > 0 && random.chance(0.15);
  const dependencies = depth < MAX_DEPTH ? subcharts(random) : [];
  const metadata: JsonObject = {
    apiVersion: 'v2',
    name,
    version: random.pick(['0.1.0', '1.2.3-rc.1+b', '10.0.0']),
    ...(isLibrary ? { type: 'library' } : {}),
    ...(random.chance(0.5) ? { appVersion: random.pick<Json>(['1.0', 'v2']) } : {}),
    ...(random.chance(0.3) ? { annotations: { team: 'shop' }, keywords: ['k'], maintainers: [{ name: 'me' }] } : {}),
    ...(dependencies.length > 0 ? { dependencies: dependencies.map(({ entry }) => entry) } : {}),
  };
  files.set(`${path}Chart.yaml`, writeYaml(metadata));
  if (random.chance(0.9))
    files.set(
      `${path}values.yaml`,
      random.chance(0.9)
        ? writeYaml(valuesOf(random, 0))
        : random.pick(['', '# nothing\n', '{}\n', 'null\n', 'a: 1\n---\nb: 2\n']),
    );
  if (random.chance(0.4))
    files.set(
      `${path}.helmignore`,
      Array.from({ length: 1 + random.integer(4) }, () => random.pick(IGNORES)).join('\n'),
    );
  for (const extra of ['data/one.txt', 'data/two.json', 'data/.hidden', 'data/deep/three.yaml', 'notes.md', 'one.bak'])
    if (random.chance(0.4))
      files.set(path + extra, random.pick(['text\nof two lines\n', '{"k": 1}', 'k: v\n', '', 'ümlaut\r\n']));
  if (random.chance(0.3))
    files.set(
      `${path}crds/${random.pick(['a.yaml', 'deep/b.yaml', 'README.md'])}`,
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ' +
        'things.example.com # {{ not a template }}\n',
    );
  files.set(`${path}templates/_helpers.tpl`, helpers(name));
  const count = 1 + random.integer(4);
  for (let index = 0; index < count; index++)
    files.set(
      `${path}templates/${random.pick(['', 'sub/', 'tests/'])}${random.pick(FILES)}`,
      Array.from({ length: 1 + random.integer(3) }, () => document(name, random)).join(random.pick(SEPARATORS)),
    );
  if (random.chance(0.3)) files.set(`${path}templates/NOTES.txt`, 'Hello {{ .Release.Name }}\n');
  for (const { folder } of dependencies) writeChart(files, `${path}charts/${folder}/`, folder, random, depth + 1);
  if (depth < MAX_DEPTH && random.chance(0.1))
    writeChart(files, `${path}charts/unlisted/`, 'unlisted', random, MAX_DEPTH);
}

const IGNORES = [
  '*.bak',
  'data/',
  'data/*.txt',
  '# comment',
  '!data/one.txt',
  '/notes.md',
  'templates/sub',
  '.*',
  'charts/back',
  '*.json',
  'deep/',
  'data/deep/*',
  'templates/*.yml',
  'values-*.yaml',
  'crds',
  '[a-b].yaml',
];
const FILES = [
  'all.yaml',
  'more.yml',
  'part.yaml',
  'raw.txt',
  'z.json',
  'test-pod.yaml',
  '_partial.yaml',
  'config.yaml.tpl',
];
const SEPARATORS = [
  '\n---\n',
  '\n---\n',
  '\n---\n',
  '\n--- # next\n',
  '\n---\n---\n',
  '\n---\r\n',
  '\n\n---  \n',
  '\n--- \n# only a comment\n---\n',
];

function subcharts(random: Random): { entry: JsonObject; folder: string }[] {
  return NAMES.filter(() => random.chance(0.3)).flatMap((folder) => {
    const aliases = random.chance(0.15)
      ? [`${folder}One`, `${folder}-two`]
      : [random.chance(0.3) ? `${folder}-other` : ''];
    return aliases.map((alias) => ({ folder, entry: dependency(folder, alias, random) }));
  });
}

function dependency(name: string, alias: string, random: Random): JsonObject {
  return {
    name,
    version: random.chance(0.9)
      ? random.pick(['*', '>=0.1.0-0', '>0.0.0-0 <20.0.0'])
      : random.pick(['~0.1.0', '^10', '1.x']),
    ...(alias === '' ? {} : { alias }),
    ...(random.chance(0.4)
      ? {
          condition: random.pick([
            `${alias === '' ? name : alias}.enabled`,
            'enabled',
            'nested.enabled,enabled',
            'global.enabled',
            'missing.path',
          ]),
        }
      : {}),
    ...(random.chance(0.3) ? { tags: random.pick([['front'], ['back', 'none'], ['none']]) } : {}),
    ...(random.chance(0.4)
      ? {
          'import-values': [
            random.pick<Json>([
              'nested',
              'shared',
              { child: 'nested', parent: 'imported' },
              { child: 'shared', parent: '.' },
              { child: 'missing', parent: 'x' },
              { child: 'nested.nested', parent: 'imported.deep' },
            ]),
          ],
        }
      : {}),
  };
}

/** Keys mostly hold what their name says, so that most charts render; a few do not. */
function valuesOf(random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  const maps = [
    'nested',
    'shared',
    'global',
    ...(depth === 0
      ? ['tags', 'exports', 'imported', ...NAMES.flatMap((name) => [name, `${name}-two`, `${name}-other`])]
      : []),
  ];
  for (const key of maps)
    if (random.chance(depth === 0 ? 0.4 : 0.3 / depth))
      put(object, key, random.chance(0.04) ? oddValue(random) : mapOrNothing(key, depth, random));
  for (const key of ['a', 'b', 'name']) if (random.chance(0.5)) put(object, key, oddValue(random));
  if (random.chance(0.5)) put(object, 'enabled', random.chance(0.97) ? random.chance(0.5) : oddValue(random));
  if (random.chance(0.4))
    put(
      object,
      'list',
      random.chance(0.95) ? random.pick<Json>([[], ['x', 1, null], [{ k: 'v' }], ['a', 'b'], null]) : oddValue(random),
    );
  return object;
}

function mapOf(key: string, depth: number, random: Random): JsonObject {
  if (key === 'tags') return { front: random.chance(0.5), back: random.chance(0.5) };
  if (key === 'exports') return { nested: valuesOf(random, 2), shared: valuesOf(random, 2) };
  return valuesOf(random, NAMES.some((name) => key.startsWith(name)) && random.chance(0.5) ? 0.5 : depth + 1);
}

function oddValue(random: Random): Json {
  return random.pick<Json>([
    null,
    true,
    false,
    0,
    1,
    -3.5,
    1e21,
    123456789,
    0.1,
    '',
    'text',
    'a: b',
    '"q"',
    'two\nlines\n',
    '{{ .Release.Name }}',
    'yes',
    '012',
    '2024-01-02',
    '~',
    ' lead',
    random.chance(0.1) ? {} : 'plain',
    random.chance(0.1) ? ['x'] : 7,
  ]);
}

function helpers(name: string): string {
  return `{{- define "${name}.name" -}}
{{ .Chart.Name }}-{{ .Release.Name | trunc 20 }}
{{- end -}}
{{/* the last one that is read wins */}}
{{- define "shared.labels" }}
from: ${name}
chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}
`;
}

const KINDS = [
  'v1 ConfigMap',
  'v1 Secret',
  'v1 Service',
  'apps/v1 Deployment',
  'v1 Namespace',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'batch/v1 Job',
  'v1 Pod',
  'example.com/v1 Thing',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
  'networking.k8s.io/v1 Ingress',
  'v1 ServiceAccount',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'v1 List',
];
const HOOKS = [
  'pre-install',
  'post-install',
  'test',
  'test-success',
  'pre-upgrade,post-upgrade',
  'crd-install',
  'unknown',
  'pre-install, test',
  'post-delete',
];

function document(name: string, random: Random): string {
  const [apiVersion = '', kind = ''] = random.pick(KINDS).split(' ');
  const annotations = random.chance(0.25)
    ? `  annotations:\n    helm.sh/hook: ${random.pick(HOOKS)}\n    helm.sh/hook-weight: "` +
      `${random.pick(['-5', '0', '3', '10', '3', '0', 'x'])}"\n` +
      (random.chance(0.3) ? '    helm.sh/hook-delete-policy: before-hook-creation\n' : '')
    : '';
  const head =
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: {{ include "${name}.name" . ` +
    `}}-${random.integer(9)}\n${annotations}  labels: {{- include "shared.labels" . | nindent 4 }}\n`;
  const body = Array.from(
    { length: 1 + random.integer(4) },
    (_, index) => `  f${index}: ${random.pick(FIELDS)}\n`,
  ).join('');
  const whole = `${head}data:\n${body}`;
  return random.pick([
    whole,
    whole,
    whole,
    whole,
    `{{- if .Values.enabled }}\n${whole}{{- end }}\n`,
    `# Source: made up\n${whole}`,
    '# nothing\n',
    '   \n',
    `{{ range $i, $e := .Values.list }}\n---\n${whole.replace(/-\d\n/, '-{{ $i }}\n')}{{ end }}`,
    `{{- with .Values.nested }}\nkind: {{ .name | default "X" }}\n{{- end }}\n`,
    `${whole}\n...\n`,
  ]);
}

const FIELDS = [
  '{{ .Values.a | toJson }}',
  '{{ .Values | toJson | quote }}',
  '{{ .Values.nested | toYaml | nindent 4 }}',
  '{{ .Values.global | toJson }}',
  '{{ (.Values.shared | default dict).a | default "none" | quote }}',
  '{{ tpl (.Values.name | default "n" | toString) . | quote }}',
  '{{ .Chart | toJson | sha256sum }}',
  '{{ .Release.Name }}',
  '{{ .Template.Name }}',
  '{{ .Template.BasePath | quote }}',
  '{{ range $k, $v := .Values }}{{ $k }},{{ end }}',
  '{{ keys .Subcharts | sortAlpha | join "," | quote }}',
  '{{ .Files.Get "data/one.txt" | quote }}',
  '{{ (.Files.Glob "data/*").AsConfig | nindent 4 }}',
  '{{ (.Files.Glob "**").AsSecrets | nindent 4 }}',
  '{{ .Files.Lines "data/one.txt" | toJson }}',
  '{{ .Capabilities.KubeVersion }}',
  '{{ .Capabilities.APIVersions.Has "apps/v1" }}',
  '{{ .Values.list | default list | len }}',
  '{{ .Values.b | toString | b64enc }}',
  '{{ dig "nested" "a" "fallback" .Values.AsMap | quote }}',
  '{{ .Values.imported | toJson }}',
  '{{ merge (dict "x" 1) (.Values.nested | default dict) | toJson }}',
  '{{ .Values.b | default 3 | required "b is needed" | toJson }}',
  '{{ hasKey .Values "a" }}',
  '{{ .Values.front | toJson }}',
  '{{ .Chart.IsRoot }}',
  '{{ typeOf .Values.a }}',
  '{{ .Values.a | quote }}',
  '{{ include "shared.labels" . | fromYaml | toJson }}',
  '{{ lookup "v1" "Secret" "n" "s" | toJson }}',
  '{{ range $path, $_ := .Files.Glob "**" }}{{ $path }} {{ end }}',
  '{{ .Values.enabled | default false | ternary "on" "off" }}',
  '{{ printf "%v %T" .Values.a .Values.b | quote }}',
  '{{ .Chart.Dependencies | toJson | sha256sum }}',
  '{{ .Values.exports | toJson }}',
  '{{ .Subcharts | toJson | sha256sum }}',
];

function mapOrNothing(key: string, depth: number, random: Random): Json {
  return random.chance(0.05) ? null : mapOf(key, depth, random);
}
