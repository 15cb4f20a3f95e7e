import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installationObjects, readInstallValues } from '../../src/install/index.js';
import { render } from '../../src/library/render.js';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { describeKey, keyOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import { deployFiles } from './deploy-files.js';
import { renderWithHelm, whyNoHelm } from './real-helm.js';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'deploy/charts/argosy');
const VALUES = join(import.meta.dirname, 'values');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const NAMESPACE = 'argocd';
const noHelm = whyNoHelm();

const cases = readdirSync(VALUES).map((file) => {
  const [document] = readYaml(readFileSync(join(VALUES, file), 'utf8'), { dialect: 'kubernetes', file });
  const given = document !== undefined && isObject(document.value) ? document.value : {};
  return { name: file.replace('.yaml', '').replaceAll('-', ' '), file: join(VALUES, file), given };
});

/** Values are compared as what they mean: the record is text, with its own case below. */
function byName(objects: readonly JsonObject[]): Record<string, unknown> {
  const plain = JSON.parse(JSON.stringify(objects)) as KubeObject[];
  const named = plain.map((object) => [describeKey(keyOf(object)), object] as const);
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function wanted(given: JsonObject): Record<string, unknown> {
  return byName(installationObjects({ values: readInstallValues(given), namespace: NAMESPACE, version }));
}

describe('the chart gives what argosy install gives', () => {
  it.each(cases)('with $name', ({ given, file }) => {
    const { manifests } = render(CHART, { namespace: NAMESPACE, releaseName: 'argosy', valueFiles: [file] });
    expect(byName(manifests.map(({ object }) => object as JsonObject))).toEqual(wanted(given));
  });

  it.skipIf(noHelm !== undefined).each(cases)(
    `${noHelm ?? 'in the real Helm'}: with $name`,
    async ({ given, file }) => {
      expect(byName(await renderWithHelm(CHART, NAMESPACE, file))).toEqual(wanted(given));
    },
  );

  it.each([
    ['rights: narrow', { rights: 'narrow' }],
    ['namespaces without narrow rights', { namespaces: ['shop'] }],
    ['notebooks of a reader', { notebooks: true, readOnly: true }],
    ['several readers of shards', { readOnly: true, shards: 2, ha: 2 }],
    ['cert-manager without an issuer', { tls: { source: 'cert-manager' } }],
    ['an Ingress without a host', { ingress: { enabled: true } }],
    ['a value that there is not', { replicas: 2 }],
    ['a text for a number', { ha: '2' }],
    ['too many', { ha: 10 }],
    ['a choice that there is not', { rights: 'all' }],
  ])('and refuses what it refuses: %s', (_, values) => {
    expect(() => readInstallValues(values)).toThrow();
    expect(() => render(CHART, { namespace: NAMESPACE, values })).toThrow();
  });
});

describe('files that are made from src/install', () => {
  const files = [...deployFiles(ROOT)];

  it.each(files)('%s is up to date: npm run manifests', (name, text) => {
    expect(existsSync(join(ROOT, name)) ? readFileSync(join(ROOT, name), 'utf8') : 'missing').toBe(text);
  });

  it('the Kustomize base is argosy install -o yaml', () => {
    const { manifests } = render(join(ROOT, 'deploy/kustomize'));
    const definitions = manifests.filter(({ object }) => object.kind === 'CustomResourceDefinition');
    const rest = manifests.filter(({ object }) => object.kind !== 'CustomResourceDefinition');
    expect(definitions).toHaveLength(readdirSync(join(ROOT, 'crds')).length);
    expect(byName(rest.map(({ object }) => object as JsonObject))).toEqual(wanted({}));
  });
});
