import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { getPointer, parsePointer, type Json } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { playStageCase, textIn } from '../testing/play-stage-case.js';
import { readStages } from './read-stage.js';
import { readViews } from './read-view.js';
import { stageControllers } from './start-stages.js';
import type { Stage } from './stage.js';

/**
 * One test for each folder in cases/: stages.yaml against given.yaml, steps.yaml and expect.yaml as for built-in
 * controllers. views.yaml has served views, crds.yaml adds kinds to the shared ones of cases/crds.yaml, log.txt has the
 * lines that must be logged, and with fault.txt reading the stages must fail with that sentence.
 */
const CASES = join(import.meta.dirname, 'cases');

function stagesOf(folder: string): Stage[] {
  const stages = readStages(textIn(join(folder, 'stages.yaml')) ?? '', 'stages.yaml');
  stageControllers(stages);
  return stages;
}

/** The shared kinds that a case speaks of, and its own. */
function kindsOf(folder: string): Json[] {
  const spoken = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join();
  return [join(CASES, 'crds.yaml'), join(folder, 'crds.yaml')].flatMap((file) =>
    readYaml(textIn(file) ?? '', { dialect: 'kubernetes', file })
      .map(({ value }) => value)
      .filter((crd) => {
        const kind = getPointer(crd, parsePointer('/spec/names/kind'));
        return typeof kind === 'string' && spoken.includes(kind);
      }),
  );
}

function play(folder: string): Promise<void> {
  const views = join(folder, 'views.yaml');
  return playStageCase(
    folder,
    { stages: stagesOf(folder), crds: kindsOf(folder), views: readViews(textIn(views) ?? '', 'views.yaml') },
    (actual, expected, about) => expect(actual, about).toEqual(expected),
  );
}

function faultOf(folder: string): string {
  try {
    stagesOf(folder);
    readViews(textIn(join(folder, 'views.yaml')) ?? '', 'views.yaml');
    return 'nothing is wrong';
  } catch (error) {
    if (error instanceof Fault) return `${error.message} (${error.where})`;
    throw error;
  }
}

describe('stages', () => {
  for (const { name } of readdirSync(CASES, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const folder = join(CASES, name);
    const fault = textIn(join(folder, 'fault.txt'));
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
