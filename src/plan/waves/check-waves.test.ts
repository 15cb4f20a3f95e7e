import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { checkWaves } from './check-waves.js';

const CASES = join(import.meta.dirname, 'cases');

describe('waves are checked', () => {
  it.each(readdirSync(CASES))('%s', async (name) => {
    const folder = join(CASES, name);
    const given = readYaml(readFileSync(join(folder, 'given.yaml'), 'utf8'), { dialect: 'kubernetes', file: name })
      .map(({ value }) => value)
      .filter(isObject) as KubeObject[];
    const isCluster = ({ metadata }: KubeObject): boolean => metadata.labels?.['in'] === 'cluster';
    const problems = checkWaves({
      objects: given.filter((object) => !isCluster(object)),
      destinationNamespace: 'shop',
      storageClasses: given.filter(isCluster),
    });
    const text = problems.map(({ rule, message, hint }) => `${rule}: ${message}\n  ${hint}\n`).join('');
    await expect(text === '' ? 'no problem\n' : text).toMatchFileSnapshot(join(folder, 'expect.txt'));
  });
});
