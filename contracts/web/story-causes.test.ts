import { expect, it } from 'vitest';
import { proof } from '../../scripts/prove/story-causes.js';
import { MISSING } from './browser.js';

const SEED = 1;

it.skipIf(MISSING !== '')(
  `stories tell their causes, on the page and in app get (seed ${SEED})${MISSING === '' ? '' : `, ${MISSING}`}`,
  async () => {
    const lines: string[] = [];
    const { ok, done } = await proof.run({ seed: SEED, size: proof.sizes.smoke, log: (line) => lines.push(line) });
    expect(ok, lines.join('\n')).toBe(true);
    expect(done).toBe(proof.sizes.smoke);
  },
  10 * 60_000,
);
