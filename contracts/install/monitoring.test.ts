import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, objectsAt, textAt, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const alerts = objectsAt(
  readOneYaml(read('deploy/monitoring/rules.yaml'), { dialect: 'kubernetes' }),
  'groups',
).flatMap((group) => objectsAt(group, 'rules'));
const dashboard: unknown = JSON.parse(read('deploy/monitoring/dashboard.json'));
const panels = objectsAt(dashboard as JsonObject, 'panels');
const expressions = [
  ...alerts.map((alert) => textAt(alert, 'expr')),
  ...panels.flatMap((panel) => objectsAt(panel, 'targets').map((target) => textAt(target, 'expr'))),
];

/** Names of metrics and of their labels, as the program writes them. */
const sources = readdirSync(join(ROOT, 'src/control'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => read(`src/control/${file}`))
  .join('\n');

describe('alerts and dashboard', () => {
  it('use metrics that the controller publishes, with labels that they have', () => {
    const names = expressions.flatMap((text) => text.match(/\b(argocd|argosy)_[a-z_]+/g) ?? []);
    const unknown = names.filter((name) => !sources.includes(`'${name.replace(/_bucket$/, '')}'`));
    const labels = expressions.flatMap((text) =>
      [...text.matchAll(/(?:by \(|\{)([^)}]*)/g)].flatMap(([, list = '']) => list.split(',')),
    );
    const missing = labels
      .map((label) => label.replace(/[=~!].*$/, '').trim())
      .filter((label) => label !== '' && label !== 'le' && !new RegExp(`\\b${label}\\b`).test(sources));
    expect([names.length > 20, unknown, missing]).toEqual([true, [], []]);
  });

  it('every alert says what is wrong, how bad it is, and has a section of the runbooks, which has no others', () => {
    const sections = [...read('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(alerts.map((alert) => textAt(alert, 'alert'))).toEqual(sections);
    for (const alert of alerts) {
      expect(textAt(alert, 'annotations', 'runbook')).toBe(`docs/runbooks.md#${textAt(alert, 'alert').toLowerCase()}`);
      expect(['critical', 'warning', 'info']).toContain(textAt(alert, 'labels', 'severity'));
      expect(isObject(alert) && textAt(alert, 'annotations', 'summary')).not.toBe('');
    }
  });

  it('expressions are closed', () => {
    const isBalanced = (text: string): boolean =>
      [
        ['(', ')'],
        ['{', '}'],
        ['[', ']'],
      ].every(([open = '', close = '']) => text.split(open).length === text.split(close).length);
    expect(expressions.filter((text) => !isBalanced(text))).toEqual([]);
    expect(new Set(panels.map((panel) => textAt(panel, 'title'))).size).toBe(panels.length);
  });
});
