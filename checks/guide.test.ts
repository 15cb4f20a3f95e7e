import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject } from '../src/model/json/index.js';
import { readYaml } from '../src/model/yaml/index.js';
import type { KubeObject } from '../src/model/kubernetes/index.js';
import { checkApplication, CHECKLIST_RULES } from '../src/plan/index.js';
import { PATTERNS } from '../src/plan/checklist/patterns.js';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/guides/gitops-alignment.md'), 'utf8');
const FOLDERS: Readonly<Record<string, string>> = {
  diff: 'src/diff/cases',
  sync: 'contracts/deliver/options',
  check: 'src/plan/checklist/cases',
};

/** The rows of the table below a heading, as cells. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  const table = lines.slice(
    0,
    Math.max(
      0,
      lines.findIndex((line, index) => index > 1 && line.startsWith('| exit code')),
    ) || lines.length,
  );
  return table.slice(2).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

const codes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Why a case is not there; undefined where it is. */
function missing(name: string): string | undefined {
  const [, kind = '', folder = ''] = /^(diff|sync|check):(.+)$/.exec(name) ?? [];
  if (kind !== '')
    return existsSync(join(ROOT, FOLDERS[kind] ?? '', folder)) && folder !== ''
      ? undefined
      : `there is no case ${name}`;
  const [file = '', test] = name.split(' > ');
  if (!existsSync(join(ROOT, file)) || !statSync(join(ROOT, file)).isFile()) return `there is no file ${file}`;
  return test === undefined || hasTest(readFileSync(join(ROOT, file), 'utf8'), test)
    ? undefined
    : `${file} has no test "${test}"`;
}

/** A long title may stand on the line after `it(`. */
function hasTest(text: string, title: string): boolean {
  return text.includes(`it('${title}'`) || new RegExp(String.raw`\bit\(\s*$`).test(text.split(`'${title}'`)[0] ?? '');
}

const TABLES = [
  'Principles',
  'Standard sync options',
  'Ignore patterns',
  'Branch strategy',
  'Troubleshooting',
  'Security',
  'Application checklist',
];

describe('docs/guides/gitops-alignment.md', () => {
  it.each(TABLES)('%s: every row names cases that there are', (heading) => {
    const rows = rowsOf(heading);
    expect(rows.length).toBeGreaterThan(3);
    expect(
      rows.flatMap((cells) => {
        const cases = codes(cells.at(-1) ?? '');
        return cases.length === 0 ? [`no case: ${cells[0] ?? ''}`] : cases.flatMap((name) => missing(name) ?? []);
      }),
    ).toEqual([]);
  });

  it('names no case elsewhere that is not there', () => {
    expect(
      codes(page.replaceAll(/^```.*?^```$/gms, ''))
        .filter((code) => /^(?:diff|sync|check):./.test(code))
        .flatMap((name) => missing(name) ?? []),
    ).toEqual([]);
  });

  it('explains the patterns that the checklist knows, and no others', () => {
    const explained = rowsOf('Ignore patterns').map((cells) => [codes(cells[0] ?? '')[0], ...codes(cells[1] ?? '')]);
    expect(explained).toEqual(
      PATTERNS.map(({ group, kind, jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] }) => [
        `${group}/${kind}`,
        ...jsonPointers,
        ...jqPathExpressions,
        ...managedFieldsManagers,
      ]),
    );
  });

  it('explains every check, in the order in which they are printed', () => {
    expect(rowsOf('Application checklist').map((cells) => codes(cells[0] ?? '')[0])).toEqual([...CHECKLIST_RULES]);
  });

  it('shows an Application that the checklist has nothing against', () => {
    const block = /^```yaml\n(apiVersion.*?)^```$/ms.exec(page)?.[1] ?? '';
    const application = readYaml(block, { dialect: 'kubernetes', file: 'guide' })
      .map(({ value }) => value)
      .find(isObject) as KubeObject;
    const lines = checkApplication({
      application,
      isLive: false,
      isProduction: true,
      places: new Map(),
      objects: [],
      shared: [],
      policy: { branches: ['main'] },
    });
    expect(lines.filter(({ state }) => state === 'fails' || state === 'advised')).toEqual([]);
  });
});
