import { expect, it } from 'vitest';
import { proof } from '../../scripts/prove/login-lock.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { lockOut } from './login-lock.js';

const missing = embeddedMissing();

// How late the thread is depends on what else this machine does: the proof judges that.
it.skipIf(missing !== undefined)(
  'S24: a locked account stays locked through kill -9, other names and many at once' +
    (missing === undefined ? '' : ` (${missing})`),
  async () => {
    const { wrong, answers } = await lockOut(proof.sizes.smoke);
    expect(wrong).toEqual([]);
    expect(Object.values(answers).reduce((sum, count) => sum + count, 0)).toBe(proof.sizes.smoke * 2);
  },
);
