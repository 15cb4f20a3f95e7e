import { describe, expect, it } from 'vitest';
import { BOMBS, SET_BOMBS, WAYS } from './yaml-bombs.js';
import { cpuSecondsOf } from '../../model/testing/index.js';

/** How long each takes is measured by the proof `render-safety`. */
const MAX_SECONDS = 2;

function cheap<T>(act: () => T): T {
  const { result, seconds } = cpuSecondsOf(act);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  return result;
}

describe(`H10: ${Object.keys(BOMBS).length} bombs through ${WAYS.length} ways in`, () => {
  describe.each(WAYS.map(({ way, bombs }) => [way, bombs] as const))('%s', (_, bombs) => {
    it.each(bombs.map(({ name, run }) => [name, run] as const))('%s', (__, run) => {
      const { ending, output } = cheap(run);
      expect([ending, ending === 'defect' ? output : '']).not.toContain('defect');
    });
  });

  it.each(SET_BOMBS.map(({ name, kinds }) => [name, kinds] as const))(
    '--set-json, --set and --set-string: %s',
    (_, kinds) => {
      for (const { run } of kinds) expect(cheap(run)).not.toBe('defect');
    },
  );
});
