import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, type Random } from '../../../src/apiserver/store/testing/random.js';
import { isObject, put, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../../src/model/yaml/index.js';
import type { HelmCase, HelmOptions } from './cases.js';
import type { ChartFolder } from './charts.js';

const MAX_CHANGES = 12;

/** One place of a chart's values. */
interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The chart with a few of its values changed by chance: switches turned, empty places filled, maps taken away. */
export function variantOf(chart: ChartFolder, seed: number): HelmCase {
  const random = seededRandom(seed);
  const leaves = leavesOf(valuesOf(chart), []);
  const overrides: JsonObject = {};
  const changes = leaves.length === 0 ? 0 : 1 + random.integer(MAX_CHANGES);
  // Values of another type mostly end in an error: one variant in four has them.
  const isRough = random.chance(0.25);
  for (let index = 0; index < changes; index++) {
    const { path, value } = random.pick(leaves);
    setAt(
      overrides,
      path,
      isRough ? roughly(value, path.at(-1) ?? '', random) : changed(value, path.at(-1) ?? '', random),
    );
  }
  return { chart, values: `variant-${seed}`, files: [written(writeYaml(overrides))], options: optionsBy(random) };
}

const API_VERSIONS = [
  'monitoring.coreos.com/v1',
  'policy/v1beta1',
  'networking.k8s.io/v1beta1/Ingress',
  'autoscaling/v2beta2',
  'gateway.networking.k8s.io/v1',
  'cert-manager.io/v1',
  'security.openshift.io/v1',
];

function optionsBy(random: Random): HelmOptions {
  return {
    ...(random.chance(0.2) ? { includeCrds: true } : {}),
    ...(random.chance(0.2) ? { apiVersions: API_VERSIONS.filter(() => random.chance(0.5)) } : {}),
    ...(random.chance(0.2)
      ? { kubeVersion: random.pick(['1.19.0', '1.25.3', 'v1.32.1-gke.1000', '1.34', 'v1.36.0-rc.1+build5']) }
      : {}),
    ...(random.chance(0.2)
      ? {
          release: random.pick([
            'a',
            'a-release-with-a-name-that-goes-on-and-on-for-53-chars',
            'r.2',
            '3rd',
            'prometheus',
            'traefik',
          ]),
          namespace: random.pick(['default', 'kube-system', 'n-1']),
        }
      : {}),
  };
}

function valuesOf({ folder }: ChartFolder): JsonObject {
  const path = join(folder, 'values.yaml');
  const value = existsSync(path)
    ? readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path })
    : null;
  return isObject(value) ? value : {};
}

function leavesOf(value: Json, path: readonly string[]): Leaf[] {
  if (!isObject(value) || Object.keys(value).length === 0) return path.length === 0 ? [] : [{ path, value }];
  const below = Object.entries(value).flatMap(([key, each]) => leavesOf(each ?? null, [...path, key]));
  // A whole map is one place among its many, so that few of them go.
  return path.length === 0 ? below : [...below, { path, value }];
}

function setAt(root: JsonObject, path: readonly string[], value: Json): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const entry = Object.entries(at).find(([name]) => name === key)?.[1];
    const next: JsonObject = isObject(entry) ? entry : {};
    put(at, key, next);
    at = next;
  }
  put(at, path.at(-1) ?? '', value);
}

const TEXTS = [
  'shop',
  'a: b # c',
  '1.50',
  'true',
  'null',
  '{{ .Release.Name }}-shop',
  'with "quotes" and \'more\'',
  'über ☃',
  'two\nlines',
  '0777',
  '1e3',
  ' spaced ',
  '- item',
  'registry.example.com/shop:v1@sha256:0123456789abcdef',
];
const NUMBERS = [0, 1, 2, 3, 1.5, 443, 65_535, 1_000_000, 10_000_000, 2_147_483_648, 0.000001];

function changed(value: Json, key: string, random: Random): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return random.pick(NUMBERS);
  if (typeof value === 'string')
    return random.pick(value === '' ? TEXTS : [...TEXTS, '', value, `${value}2`, `${value}2`]);
  if (Array.isArray(value)) return value.length > 0 && random.chance(0.3) ? [] : listFor(key, random);
  if (isObject(value)) return Object.keys(value).length > 0 ? { extra: random.pick(TEXTS) } : mapFor(key, random);
  return random.pick<Json>(TEXTS);
}

/** Another type than the chart expects, or nothing. */
function roughly(value: Json, key: string, random: Random): Json {
  if (random.chance(0.5)) return changed(value, key, random);
  return random.pick<Json>([
    null,
    '',
    'true',
    'false',
    '8080',
    true,
    { key: 'value' },
    ['one', 'two'],
    [],
    {},
    random.pick(TEXTS),
    random.pick(NUMBERS),
  ]);
}

const LISTS: readonly (readonly [RegExp, Json[]])[] = [
  [/toleration/i, [{ key: 'team', operator: 'Equal', value: 'shop', effect: 'NoSchedule' }]],
  [/pullsecret/i, [{ name: 'registry' }, { name: 'other' }]],
  [/mount/i, [{ name: 'extra', mountPath: '/extra', readOnly: true }]],
  [/volume/i, [{ name: 'extra', emptyDir: {} }]],
  [/envfrom/i, [{ configMapRef: { name: 'shop' } }]],
  [
    /env/i,
    [
      { name: 'SHOP', value: 'yes' },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
    ],
  ],
  [/args|command|flags/i, ['--verbose', '--level=3']],
  [/hosts?$/i, ['shop.example.com']],
  [/tls/i, [{ secretName: 'shop-tls', hosts: ['shop.example.com'] }]],
  [/container/i, [{ name: 'extra', image: 'registry.example.com/extra:1' }]],
  [/spread/i, [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }]],
  [/relabel/i, [{ sourceLabels: ['__name__'], action: 'keep', regex: 'a.*' }]],
];
const MAPS: readonly (readonly [RegExp, JsonObject])[] = [
  [/resources/i, { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: 0.5 } }],
  [/securitycontext/i, { runAsUser: 1000, runAsNonRoot: true, capabilities: { drop: ['ALL'] } }],
  [
    /affinity/i,
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
      },
    },
  ],
  [/probe/i, { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 }],
  [/strategy/i, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } }],
];

function listFor(key: string, random: Random): Json[] {
  const known = LISTS.find(([pattern]) => pattern.test(key))?.[1];
  return known !== undefined && random.chance(0.85)
    ? known
    : random.pick<Json[]>([['one', 'two'], [{ name: 'shop', value: 'x' }], [1, 2], []]);
}

function mapFor(key: string, random: Random): JsonObject {
  const known = MAPS.find(([pattern]) => pattern.test(key))?.[1];
  return known !== undefined && random.chance(0.85)
    ? known
    : random.pick<JsonObject>([
        { team: 'shop', 'example.com/owner': 'me' },
        { key: 'value', number: '3' },
        { a: { b: [1, 'two', true] } },
        { 'quoted key': random.pick(TEXTS) },
      ]);
}

/** A file of its own for each content, so that the same variant is the same file. */
function written(text: string): string {
  const folder = join(tmpdir(), 'argosy-helm-variants');
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 24)}.yaml`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) writeFileSync(path, text);
  return path;
}
