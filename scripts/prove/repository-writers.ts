import { AccessLab } from '../../contracts/access/access-lab.js';
import { contend } from '../../contracts/access/one-repository.js';
import type { Proof } from './trials/proof.js';

/**
 * 64 writers and readers of one repository, for as many seconds as the size says: every write that was taken is among
 * the states that the cluster kept, none that was refused is, and nobody ever sees the halves of two writes together.
 */
export const proof: Proof = {
  name: 'repository-writers',
  sizes: { smoke: 1, full: 60 },
  async run({ size, log }) {
    const lab = await AccessLab.open();
    try {
      const end = performance.now() + size * 1000;
      const { wrong, ...figures } = await contend(lab, await lab.token(), () => performance.now() < end);
      for (const line of wrong) log(line);
      return { ok: wrong.length === 0, done: size, figures: { seconds: size, ...figures, wrong: wrong.length } };
    } finally {
      await lab.close();
    }
  },
};
