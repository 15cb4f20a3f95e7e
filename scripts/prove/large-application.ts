import { largeFiles, playLarge } from '../../contracts/deliver/bad-input/large.js';
import { BadInputLab } from '../../contracts/deliver/bad-input/lab.js';
import type { Proof } from './trials/proof.js';

/**
 * One application of many objects ends Synced with a status that says what it leaves out, and others are delivered
 * meanwhile. The size is the number of objects.
 */
export const proof: Proof = {
  name: 'large-application',
  sizes: { smoke: 3000, full: 10_000 },
  async run({ size, log }) {
    const stage = await BadInputLab.open([], largeFiles(size));
    const begin = performance.now();
    try {
      await playLarge(stage, size);
      return {
        ok: true,
        done: size,
        figures: { objects: size, seconds: Math.round((performance.now() - begin) / 1000) },
      };
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
      return { ok: false, done: 0, figures: {} };
    } finally {
      await stage.stop();
    }
  },
};
