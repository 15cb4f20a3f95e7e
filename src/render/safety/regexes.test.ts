import { describe, expect, it } from 'vitest';
import type { Attempt } from './attempt.js';
import { GLOBS, GLOB_WAYS, inSchema, inSelectors, inTemplates, PAIRS, RANGES, RANGE_WAYS } from './evil-patterns.js';
import { cpuSecondsOf } from '../../model/testing/index.js';

/** How long each takes is measured by the proof `render-safety`. */
function cheap(act: () => Attempt): Attempt {
  const { result, seconds } = cpuSecondsOf(act);
  expect(seconds).toBeLessThan(1);
  expect([result.ending, result.ending === 'defect' ? result.output : '']).not.toContain('defect');
  return result;
}

describe(`H14: ${PAIRS.length} patterns that never end elsewhere`, () => {
  it.each(PAIRS)('%s in the functions of templates', (pattern, text) => {
    expect(cheap(() => inTemplates(pattern, text))).toMatchObject({ ending: 'rendered' });
  });

  it.each(PAIRS)('%s in a schema', (pattern, text) => {
    cheap(() => inSchema(pattern, text));
  });

  it.each(PAIRS)('%s in the selectors of a kustomization', (pattern, text) => {
    cheap(() => inSelectors(pattern, text));
  });
});

describe('H14: patterns of file names and ranges of versions', () => {
  it.each(GLOBS)('%s', (glob) => {
    for (const run of Object.values(GLOB_WAYS)) cheap(() => run(glob));
  });

  it.each(RANGES)('a range of versions: %s', (range) => {
    for (const run of Object.values(RANGE_WAYS)) cheap(() => run(range));
  });
});
