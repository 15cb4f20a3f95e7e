import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../../src/model/json/index.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';

const FOLDER = join(import.meta.dirname, '../../../../shared/seeds');

/** Where the guide has its manifests, as an editor counts lines. */
const BLOCKS = {
  training: [354, 400],
  pipeline: [417, 509],
  serving: [528, 567],
  trigger: [580, 587],
  hook: [695, 731],
} as const;

type GuideBlock = keyof typeof BLOCKS;

export const hasGuide = fileOfGuide() !== undefined;

function fileOfGuide(): string | undefined {
  const file = existsSync(FOLDER) ? readdirSync(FOLDER).find((name) => name.startsWith('002')) : undefined;
  return file === undefined ? undefined : join(FOLDER, file);
}

/** The objects of one block of the guide, exactly as it has them; it is not on every machine. */
export function guideObjects(block: GuideBlock): KubeObject[] {
  const [from, to] = BLOCKS[block];
  const text = readFileSync(fileOfGuide() ?? '', 'utf8')
    .split('\n')
    .slice(from - 1, to)
    .join('\n');
  return readYaml(text, { dialect: 'kubernetes', file: `guide, ${block}` })
    .map(({ value }) => value)
    .filter(isObject) as unknown as KubeObject[];
}
