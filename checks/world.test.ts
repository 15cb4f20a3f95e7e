import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorld } from '../src/apiserver/stages/read-world.js';

const WORLD = join(import.meta.dirname, '../world');
const CITATION = /^# Source: github\.com\/[\w.-]+\/[\w.-]+@\S+ \S+(:\d+)?( .*)?$/;
/** The words of the controllers are theirs, not our guess. */
const MIN_CITING = 60;

const expectations = readdirSync(join(WORLD, 'controllers')).flatMap((controller) => {
  const cases = join(WORLD, 'controllers', controller, 'cases');
  return existsSync(cases)
    ? readdirSync(cases).map((name) => ({ name: `${controller}: ${name}`, path: join(cases, name, 'expect.yaml') }))
    : [];
});

describe('the world', () => {
  it('says of each stage which real controller it follows', async () => {
    const stages = (await readWorld(WORLD)).flatMap((controller) =>
      controller.stages.map((stage) => ({ name: `${controller.name}: ${stage.name}`, follows: stage.follows })),
    );
    expect(stages.filter(({ follows }) => follows === '').map(({ name }) => name)).toEqual([]);
  });

  it('cites the source of the real controllers', () => {
    const heads = expectations
      .filter(({ path }) => existsSync(path))
      .map(({ name, path }) => ({ name, head: readFileSync(path, 'utf8').split('\n')[0] ?? '' }))
      .filter(({ head }) => head.startsWith('# Source'));
    expect(heads.filter(({ head }) => !CITATION.test(head))).toEqual([]);
    expect(heads.length).toBeGreaterThanOrEqual(MIN_CITING);
  });
});
