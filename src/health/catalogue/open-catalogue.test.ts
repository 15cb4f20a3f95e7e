import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCatalogue } from './catalogue.js';
import { openCatalogue } from './open-catalogue.js';

const FOLDER = join(import.meta.dirname, '../../../catalogue');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(yaml|lua)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), 'utf8') }));

it('finds for every kind what reading everything finds', () => {
  const whole = readCatalogue(files);
  const opened = openCatalogue(files);
  const kinds = whole.entries.flatMap(({ groups, kinds: names }) =>
    groups.flatMap((group) => names.map((kind) => [group.replace('*', 'some'), kind.replace('*', 'Some')] as const)),
  );
  expect(kinds.length).toBeGreaterThan(300);
  for (const [group, kind] of [...kinds, ['', 'Nothing'], ['nobody.example', 'Thing']] as const) {
    expect(opened.find(group, kind)?.file, `${group}/${kind}`).toBe(whole.find(group, kind)?.file);
    expect([...(opened.findActions(group, kind)?.keys() ?? [])], `${group}/${kind}`).toEqual([
      ...(whole.findActions(group, kind)?.keys() ?? []),
    ]);
  }
  expect(opened.entries.length).toBe(whole.entries.length);
});
