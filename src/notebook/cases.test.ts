import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../model/json/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { NotebookImage } from '../model/settings/index.js';
import { JobDriver, type JobScenarioStep } from './testing/job-driver.js';

const CASES = join(import.meta.dirname, 'cases');

describe('a notebook', () => {
  it.each(readdirSync(CASES).sort())('%s', (name) => {
    const file = join(CASES, name, 'play.yaml');
    const value = readOneYaml(readFileSync(file, 'utf8'), {
      dialect: 'kubernetes',
      file,
      duplicates: 'error',
    }) as unknown as {
      job: JsonObject;
      builds?: boolean;
      gitImage?: string;
      allowed?: NotebookImage;
      play: JobScenarioStep[];
    };
    const player = new JobDriver(withNotebook(value.job), value.builds === true, value.gitImage, value.allowed);
    for (const [index, play] of value.play.entries()) {
      player.run(play);
      if (play.expect !== undefined) expect(player.state, `play ${index + 1}`).toMatchObject(play.expect);
    }
  });
});

/** Cases write only what they are about. */
function withNotebook(job: JsonObject): JsonObject {
  const spec = isObject(job.spec) ? job.spec : {};
  return {
    ...job,
    metadata: { name: 'train', ...(isObject(job.metadata) ? job.metadata : {}) },
    spec: {
      notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'notebooks/train.ipynb' },
      podConfig: {},
      ...spec,
    },
  };
}
