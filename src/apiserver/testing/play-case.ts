import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { checkExpectation, type Compare } from './check-expectation.js';
import type { MemoryCluster } from './memory-cluster.js';
import { CASE_STEPS, type CaseStep } from './case-steps.js';
import { putObject } from './put-object.js';

function documentsOf(folder: string, file: string): JsonObject[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  return readYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path, duplicates: 'error' })
    .map(({ value }) => value)
    .filter(isObject);
}

/** Plays given.yaml, steps.yaml and expect.yaml of one case folder; `more` are steps of this kind of case only. */
export async function playCase(
  cluster: MemoryCluster,
  folder: string,
  compare: Compare,
  more: Readonly<Record<string, CaseStep>> = {},
): Promise<void> {
  const steps: Readonly<Record<string, CaseStep>> = { ...CASE_STEPS, ...more };
  for (const object of documentsOf(folder, 'given.yaml')) {
    await putObject(cluster, object);
    // Objects of its kind may follow.
    if (object.kind === 'CustomResourceDefinition') await cluster.waitUntilQuiet();
  }
  await cluster.waitUntilQuiet();
  for (const step of documentsOf(folder, 'steps.yaml')) {
    for (const name of Object.keys(step)) {
      const play = Object.hasOwn(steps, name) ? steps[name] : undefined;
      if (!play) throw new Error(`unknown step ${name}; known are ${Object.keys(steps).join(', ')}`);
      await play(cluster, own(step, name) ?? null, compare);
      await cluster.waitUntilQuiet();
    }
  }
  for (const expectation of documentsOf(folder, 'expect.yaml')) checkExpectation(cluster, expectation, compare);
}
