import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml, readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { runHealthScript } from '../lua/run-health-script.js';
import type { Finding } from './finding.js';
import { lintHealthScript } from './lint-health-script.js';
import type { LintOptions } from './lint-options.js';
import { lintSettings } from './lint-settings.js';
import type { SettingsSource } from './settings/settings-source.js';

const HERE = import.meta.dirname;
const yaml = (path: string): Json =>
  existsSync(path) ? readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path }) : null;
const evaluate: LintOptions['evaluate'] = (source, object, { openLibs }) =>
  runHealthScript(source, object, { openLibs, now: () => 0 });
const folders = (name: string): string[] => readdirSync(join(HERE, name)).sort();

/** What a finding is compared by: the place exactly, texts by the part that a case names. */
function compare(found: readonly Finding[], expected: readonly JsonObject[]): void {
  const short = found.map(({ rule, severity, where }, index) => ({
    rule,
    severity,
    line: where.line,
    ...(expected[index]?.column === undefined ? {} : { column: where.column }),
    ...(expected[index]?.name === undefined ? {} : { name: where.name }),
    ...(expected[index]?.key === undefined ? {} : { key: where.key }),
  }));
  const wanted = expected.map(({ message: _message, hint: _hint, example: _example, ...rest }) => rest);
  expect(
    short,
    found.map(({ where, message, hint }) => `${where.line}:${where.column} ${message}\n  ${hint}`).join('\n'),
  ).toEqual(wanted);
  expected.forEach(({ message, hint, example }, index) => {
    if (message !== undefined) expect(found[index]?.message).toContain(message);
    if (hint !== undefined) expect(found[index]?.hint).toContain(hint);
    if (example !== undefined) expect(found[index]?.example?.status).toEqual(example);
  });
  for (const { message, hint } of found) {
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(hint).not.toBe('');
  }
}

function expectedIn(folder: string): { given: JsonObject; findings: JsonObject[] } {
  const given = yaml(join(folder, 'expect.yaml'));
  if (!isObject(given)) throw new Error(`${folder} has no expect.yaml`);
  return { given, findings: (isArray(given.findings) ? given.findings : []).filter(isObject) };
}

describe('a health script', () => {
  it.each(folders('cases'))('%s', (name) => {
    const folder = join(HERE, 'cases', name);
    const { given, findings } = expectedIn(folder);
    const [group = '', kind = ''] = typeof given.kind === 'string' ? given.kind.split('/') : [];
    const found = lintHealthScript({
      source: readFileSync(join(folder, 'check.lua'), 'utf8'),
      name: 'check.lua',
      group,
      kind,
      schema: yaml(join(folder, 'schema.yaml')),
      options: { openLibs: given.openLibs === true, evaluate },
    });
    compare(found, findings);
  });

  it('is told about at the lines of the file that it is part of', () => {
    const [finding] = lintHealthScript({
      source: 'return {\n  status = "Fine" }',
      name: 'cm.yaml',
      options: { origin: { line: 10, column: 5 }, key: 'k' },
    });
    expect(finding?.where).toEqual({ name: 'cm.yaml', key: 'k', line: 11, column: 16 });
  });

  it('is judged by another opinion where one is given', () => {
    const source = 'return { status = "Healthy" }';
    const reference = (object: KubeObject): { status: 'Degraded' } | undefined =>
      JSON.stringify(object.status).includes('Stalled') ? { status: 'Degraded' } : undefined;
    const found = lintHealthScript({
      source,
      name: 'x',
      group: 'example.com',
      kind: 'Widget',
      options: { evaluate, reference },
    });
    expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'error The check answers Healthy for a Widget whose condition Stalled is True, so Argo CD goes on to ' +
        'the next wave and nobody sees the trouble.',
    ]);
  });
});

describe('settings', () => {
  it.each(folders('settings-cases'))('%s', (name) => {
    const folder = join(HERE, 'settings-cases', name);
    const { findings } = expectedIn(folder);
    const sources = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml') && file !== 'expect.yaml')
      .sort()
      .flatMap((file): SettingsSource[] => {
        const text = readFileSync(join(folder, file), 'utf8');
        return readYaml(text, { dialect: 'kubernetes' }).map(({ value, line }) => ({
          object: value as KubeObject,
          file,
          text,
          line,
        }));
      });
    const ofKind = (kind: string): SettingsSource[] => sources.filter(({ object }) => object.kind === kind);
    const settings = {
      configMaps: ofKind('ConfigMap'),
      argocds: ofKind('ArgoCD'),
      crds: ofKind('CustomResourceDefinition').map(({ object }) => object),
    };
    compare(lintSettings(settings, { evaluate }), findings);
  });

  it('are named by object and key where there is no file', () => {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace: 'argocd' },
      data: { 'resource.customizations.health.example.com_Widget': 'return {}' },
    };
    const [finding] = lintSettings({ configMaps: [{ object }], argocds: [], crds: [] });
    expect(finding?.where).toEqual({
      name: 'ConfigMap argocd/argocd-cm',
      key: 'resource.customizations.health.example.com_Widget',
      line: 1,
      column: 1,
    });
  });
});
