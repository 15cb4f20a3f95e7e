import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TRIAGE_CODES, pageOf } from '../src/triage/index.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/triage.md');

type Code = keyof typeof TRIAGE_CODES;
const codes = Object.keys(TRIAGE_CODES) as Code[];

/** Every text file below a folder. */
function textsBelow(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

it('every code has a heading of the page', () => {
  const anchors = [...readFileSync(PAGE, 'utf8').matchAll(/^### (.+)$/gm)].map(
    ([, heading = '']) => `docs/triage.md#${heading.toLowerCase().replaceAll(' ', '-')}`,
  );
  expect([...new Set(codes.map(pageOf))].filter((page) => !anchors.includes(page))).toEqual([]);
});

it('rules use every code of the registry and no other', () => {
  const used = textsBelow('src/triage/rules', '.ts').flatMap((text) => text.match(/'[A-Z]\d\d'/g) ?? []);
  expect([...new Set(used)].sort()).toEqual(codes.map((code) => `'${code}'`).sort());
});

it('cases name codes of the registry only', () => {
  const named = textsBelow('src/triage/cases', '').flatMap(
    (text) => text.match(/(?<=^# expect: P\d )[A-Z]\d\d\b/gm) ?? [],
  );
  expect(named).not.toEqual([]);
  expect([...new Set(named)].filter((code) => !Object.hasOwn(TRIAGE_CODES, code))).toEqual([]);
});
