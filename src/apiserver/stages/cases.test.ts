import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault, getPointer, parsePointer, readYaml } from '../../model/index.js';
import { openMemoryWorld, type MemoryWorld } from '../controllers/case-runner/memory-world.js';
import { playCase } from '../controllers/case-runner/play-case.js';
import { putObject } from '../controllers/case-runner/world-objects.js';
import { garbageCollector } from '../controllers/garbage-collector.js';
import type { Controller } from '../controllers/controller.js';
import { readStages } from './read-stage.js';
import { stageControllers } from './start-stages.js';

/**
 * One test for each folder in cases/: stages.yaml against given.yaml, steps.yaml and expect.yaml as for built-in
 * controllers. crds.yaml adds kinds to the shared ones of cases/crds.yaml, log.txt has the lines that must be logged,
 * and with fault.txt reading the stages must fail with that sentence.
 */
const CASES = join(import.meta.dirname, 'cases');

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

function controllersOf(folder: string): Controller[] {
  const file = join(folder, 'stages.yaml');
  return stageControllers(readStages(readFileSync(file, 'utf8'), relative(folder, file)));
}

/** The shared kinds that a case speaks of, and its own. */
async function putKinds(world: MemoryWorld, folder: string): Promise<void> {
  const spoken = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')).join();
  for (const file of [join(CASES, 'crds.yaml'), join(folder, 'crds.yaml')]) {
    for (const { value } of readYaml(textOf(file) ?? '', { dialect: 'kubernetes', file })) {
      const kind = getPointer(value, parsePointer('/spec/names/kind'));
      if (typeof kind === 'string' && spoken.includes(kind)) await putObject(world, value);
    }
  }
  await world.settle();
}

async function play(folder: string): Promise<void> {
  const world = await openMemoryWorld([garbageCollector, ...controllersOf(folder)]);
  try {
    await putKinds(world, folder);
    await playCase(world, folder, (actual, expected, about) => expect(actual, about).toEqual(expected));
    expect(world.logged).toEqual((textOf(join(folder, 'log.txt')) ?? '').split('\n').filter((line) => line !== ''));
  } finally {
    await world.close();
  }
}

function faultOf(folder: string): string {
  try {
    controllersOf(folder);
    return 'nothing is wrong';
  } catch (error) {
    if (error instanceof Fault) return `${error.message} (${error.where})`;
    throw error;
  }
}

describe('stages', () => {
  for (const { name } of readdirSync(CASES, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const folder = join(CASES, name);
    const fault = textOf(join(folder, 'fault.txt'));
    it(name.replaceAll('-', ' '), async () => {
      if (fault === undefined) await play(folder);
      else expect(faultOf(folder)).toBe(fault.trimEnd());
    });
  }

  it('the example of docs/stages.md can be read', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/stages.md'), 'utf8');
    const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    expect(readStages(example, 'docs/stages.md').map(({ name }) => name)).toEqual(['store-missing', 'synced']);
  });
});
