import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../../src/model/yaml/index.js';

interface Row {
  readonly says?: string;
  readonly shown: readonly string[];
}

const ROOT = resolve(import.meta.dirname, '../..');
const CASES = join(ROOT, 'src/notebook/cases');
const file = join(import.meta.dirname, 'evidence.yaml');
const { defects, behaviours } = readOneYaml(readFileSync(file, 'utf8'), {
  dialect: 'kubernetes',
  file,
  duplicates: 'error',
}) as unknown as { defects: Record<string, Row>; behaviours: Record<string, Row> };

/** What a row names and nobody has. */
function absent({ shown }: Row): string[] {
  return shown.filter((each) => {
    if (each.startsWith('case ')) return !existsSync(join(CASES, each.slice('case '.length), 'play.yaml'));
    const [path = '', ...name] = each.split(': ');
    // Quotes are written with a backslash in the source.
    return (
      !existsSync(join(ROOT, path)) ||
      !readFileSync(join(ROOT, path), 'utf8').replaceAll("\\'", "'").includes(name.join(': '))
    );
  });
}

describe('every defect of the original, and every behaviour that its tests check,', () => {
  it('has a row', () => {
    expect(Object.keys(defects)).toEqual(Array.from({ length: 26 }, (_, index) => String(index + 1)));
  });

  it.each([...Object.entries(defects), ...Object.entries(behaviours)])('is shown: %s', (_, row) => {
    expect(row.shown.length).toBeGreaterThan(0);
    expect(absent(row)).toEqual([]);
  });

  it('and every case that names a defect is in its row', () => {
    const named = readdirSync(CASES).filter((name) => name.startsWith('defect-'));
    expect(
      named.filter(
        (name) =>
          defects[String(Number(name.slice('defect-'.length, 'defect-'.length + 2)))]?.shown.includes(
            `case ${name}`,
          ) !== true,
      ),
    ).toEqual([]);
  });
});
