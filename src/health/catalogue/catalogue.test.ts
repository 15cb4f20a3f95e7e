import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, isObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Health } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { runHealthScript } from '../lua/run-health-script.js';
import { readCatalogue, type CatalogueFile } from './catalogue.js';
import type { CatalogueEntry } from './entry.js';
import type { Facts } from './scope.js';

const FOLDER = join(import.meta.dirname, '../../../catalogue');
const files: CatalogueFile[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(yaml|lua)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), 'utf8') }));
const catalogue = readCatalogue(files);

interface Case {
  readonly name: string;
  readonly object: Partial<KubeObject>;
  readonly facts?: Facts;
  readonly expect: Health;
}

function casesOf(file: string): Case[] {
  const read = readOneYaml(files.find(({ path }) => path === file.replace(/\.yaml$/, '.cases.yaml'))?.text ?? '', {
    dialect: 'kubernetes',
    file,
  });
  return isArray(read) ? (read as unknown as Case[]) : [];
}

/** An object as the cases write it: what every object has is filled in. */
function complete(
  { groups: [group = ''], kinds: [kind = ''], versions }: CatalogueEntry,
  object: Partial<KubeObject>,
): KubeObject {
  const version = versions?.[0] ?? 'v1';
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    ...object,
    metadata: { name: 'sample', namespace: 'default', ...object.metadata },
  };
}

function judge(entry: CatalogueEntry, object: KubeObject, facts: Facts): Health | undefined {
  if (entry.health?.by === 'lua') return runHealthScript(entry.health.script, object, { openLibs: true, now: () => 0 });
  return entry.health?.assess(object, facts);
}

describe.each(
  catalogue.entries.filter(({ health }) => health !== undefined).map((entry) => [entry.file, entry] as const),
)('%s', (file, entry) => {
  const cases = casesOf(file);

  it('has cases', () => {
    expect(cases.map(({ name }) => name)).not.toEqual([]);
    expect(cases.every((each) => isObject(each.object) && isObject(each.expect))).toBe(true);
  });

  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, { object, facts, expect: expected }) => {
    expect(judge(entry, complete(entry, object), facts ?? {})).toEqual(expected);
  });
});
