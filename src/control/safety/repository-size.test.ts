import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import { endingOf, openHostileEnvironment, type HostileEnvironment } from '../testing/hostile-environment.js';
import { LARGE_SOURCES, largeBranches } from './large-sources.js';

let world: HostileEnvironment;
let repoURL = '';
beforeAll(async () => {
  world = await openHostileEnvironment();
  repoURL = world.repository(largeBranches());
});
afterAll(() => world.close());

describe('S35: a source that is too large is told by the file, and others render meanwhile', () => {
  it.each(LARGE_SOURCES.map((one, index) => [one.name, one, index] as const))(
    '%s',
    async (_, { source = {}, names }, index) => {
      const make = (branch: string, more: JsonObject = {}): ReturnType<typeof endingOf> =>
        endingOf(() => world.render([{ repoURL, targetRevision: branch, path: '.', ...more }]));
      const [big, ...normal] = await Promise.all([make(`b${index}`, source), make('normal'), make('normal')]);
      expect(big.code).toMatch(/^(SOURCE_TOO_LARGE|RENDER_LIMIT)$/);
      expect(big.output).toContain(names);
      expect(normal.map(({ code }) => code)).toEqual(['done', 'done']);
    },
  );

  it('what belongs to nobody may be large', async () => {
    expect((await endingOf(() => world.render([{ repoURL, targetRevision: 'video', path: 'app' }]))).code).toBe('done');
  });
});
