import { Chance } from './chance.js';
import { randomPatches } from './random-patches.js';
import { NAMES, randomResources } from './random-resources.js';
import { writeYaml } from '../../../src/model/yaml/index.js';
import type { JsonObject } from '../../../src/model/json/index.js';

/** Files by path. */
export type Files = ReadonlyMap<string, string>;

/**
 * A kustomization in `top` with a few below it, made by chance: most of them build, and every feature meets every
 * other.
 */
export function randomOverlay(seed: number): Files {
  const chance = new Chance(seed);
  const files = new Map<string, string>();
  const bases = chance.times(1, 2).map((index) => folder(files, chance, `base${index}`, []));
  const middle = chance.is(0.6)
    ? folder(
        files,
        chance,
        'middle',
        bases.map((name) => `../${name}`),
      )
    : undefined;
  const below = middle === undefined ? bases.map((name) => `../${name}`) : [`../${middle}`];
  if (chance.is(0.3)) component(files, chance);
  folder(files, chance, 'top', below, files.has('part/kustomization.yaml'));
  return files;
}

function folder(
  files: Map<string, string>,
  chance: Chance,
  name: string,
  below: readonly string[],
  hasComponent = false,
): string {
  const resources = [...below];
  if (below.length === 0 || chance.is(0.3)) {
    files.set(`${name}/objects.yaml`, randomResources(chance, below.length === 0 ? 6 : 2, name));
    resources.push('objects.yaml');
  }
  files.set(`${name}/some.env`, 'ENV_ONE=1\n# comment\nENV_TWO=two words\n');
  files.set(
    `${name}/file.txt`,
    chance.one([
      'line one\nline two\n',
      'short',
      ' leading\n\n  and more \n',
      '{"a": 1}\n',
      'tab\tin it\n',
      'trailing  \nspaces\n',
    ]),
  );
  const kustomization: JsonObject = {
    resources,
    ...settings(chance, name),
    ...(hasComponent && { components: ['../part'] }),
  };
  files.set(`${name}/kustomization.yaml`, writeYaml(kustomization));
  return name;
}

function component(files: Map<string, string>, chance: Chance): void {
  files.set(
    'part/kustomization.yaml',
    writeYaml({ kind: 'Component', apiVersion: 'kustomize.config.k8s.io/v1alpha1', ...settings(chance, 'part') }),
  );
  files.set('part/some.env', 'A=1\n');
  files.set('part/file.txt', 'x\n');
}

const TEXTS = [
  'blue',
  'yes',
  '1',
  '1.0',
  'a b',
  'x: y',
  'on',
  '',
  'null',
  'very-long-value-with-dashes',
  '0x1',
  '2001-01-01',
  '#hash',
];

function settings(chance: Chance, name: string): JsonObject {
  const labels = (): JsonObject => ({ [chance.one(['team', 'app', 'tier', 'extra'])]: chance.one(TEXTS) });
  const all: [number, () => JsonObject][] = [
    [0.3, () => ({ namePrefix: chance.one(['pre-', 'x', '1-', `${name}-`]) })],
    [0.3, () => ({ nameSuffix: chance.one(['-suf', '-1', 'z']) })],
    [0.35, () => ({ namespace: chance.one(['one', 'two', 'default', '123']) })],
    [0.2, () => ({ commonLabels: labels() })],
    [
      0.3,
      () => ({
        labels: chance.times(1, 2).map(() => ({
          pairs: labels(),
          ...chance.one([{}, { includeSelectors: true }, { includeTemplates: true }]),
        })),
      }),
    ],
    [0.25, () => ({ commonAnnotations: { [chance.one(['note', 'app'])]: chance.one(TEXTS) } })],
    [
      0.3,
      () => ({
        images: chance.times(1, 2).map(() => ({
          name: chance.one(['nginx', 'redis', 'reg.example.com:5000/app']),
          ...chance.one([
            { newTag: 'v9' },
            { newName: 'other/x' },
            { digest: 'sha256:abc' },
            { newName: 'y', newTag: '1.0' },
            { tagSuffix: '-s' },
          ]),
        })),
      }),
    ],
    [0.1, () => ({ replicas: [{ name: chance.is(0.9) ? 'always' : chance.one(NAMES), count: chance.number(9) }] })],
    [0.4, () => ({ configMapGenerator: [generator(chance, name)] })],
    [0.3, () => ({ secretGenerator: [generator(chance, name)] })],
    [
      0.15,
      () => ({
        generatorOptions: chance.one([
          { disableNameSuffixHash: true },
          { labels: { gen: 'x' } },
          { immutable: true, annotations: { gen: '1' } },
        ]),
      }),
    ],
    [0.5, () => randomPatches(chance)],
    [0.2, () => ({ replacements: [replacement(chance)] })],
    [0.1, () => ({ sortOptions: chance.one([{ order: 'fifo' }, { order: 'legacy' }]) })],
    [
      0.08,
      () => ({
        buildMetadata: chance.one([
          ['originAnnotations'],
          ['transformerAnnotations'],
          ['managedByLabel', 'originAnnotations', 'transformerAnnotations'],
        ]),
      }),
    ],
    [
      0.08,
      () => ({
        vars: [
          {
            name: `VAR_${name.toUpperCase()}`,
            objref: { apiVersion: 'v1', kind: 'Service', name: chance.is(0.9) ? 'always' : chance.one(NAMES) },
          },
        ],
      }),
    ],
  ];
  return Object.assign({}, ...all.filter(([likely]) => chance.is(likely)).map(([, make]) => make())) as JsonObject;
}

function generator(chance: Chance, folderName: string): JsonObject {
  // Mostly a name of its own; sometimes one that another folder may have made, or an object has.
  const name = chance.is(0.8) ? `made-${folderName}` : chance.one([...NAMES, 'made-base0']);
  return {
    name,
    ...(chance.is(0.7) && { literals: [`k${chance.number(3)}=${chance.one(TEXTS)}`] }),
    ...(chance.is(0.3) && { files: [chance.one(['file.txt', 'renamed=file.txt'])] }),
    ...(chance.is(0.2) && { envs: ['some.env'] }),
    ...(chance.is(name === 'made-base0' && folderName !== 'base0' ? 0.9 : 0.03) && {
      behavior: chance.one(['merge', 'replace']),
    }),
    ...(chance.is(0.1) && { namespace: chance.one(['one', 'two']) }),
    ...(chance.is(0.3) && {
      options: chance.one([{ disableNameSuffixHash: true }, { labels: { own: 'y' } }, { annotations: { own: '1' } }]),
    }),
  };
}

function replacement(chance: Chance): JsonObject {
  const [kind, fieldPath] = chance.one([
    ['ConfigMap', 'metadata.name'],
    ['Service', 'spec.ports.0.port'],
    ['ConfigMap', 'data.host'],
    ['Deployment', 'spec.template.spec.containers.0.image'],
  ] as const);
  const paths = [
    'metadata.annotations.filled',
    'metadata.labels.filled',
    'spec.template.spec.containers.*.image',
    'spec.template.spec.containers.[name=main].env.[name=HOST].value',
    'spec.filled',
    'data.host',
  ];
  const isSplit = chance.is(0.3);
  return {
    source: {
      kind,
      name: chance.is(0.9) ? 'always' : chance.one(NAMES),
      fieldPath,
      ...(isSplit && { options: { delimiter: ':', index: 0 } }),
    },
    targets: [
      {
        select: chance.one<JsonObject>([
          { kind: 'Deployment' },
          { kind: 'ConfigMap' },
          { kind: 'Thing' },
          { name: chance.one(NAMES) },
        ]),
        fieldPaths: [chance.one(paths)],
        options: {
          ...(chance.is(0.9) && { create: true }),
          ...(isSplit && chance.is(0.5) && { delimiter: ':', index: chance.number(3) - 1 }),
        },
      },
    ],
  };
}
