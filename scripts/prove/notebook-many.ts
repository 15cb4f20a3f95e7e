import { NotebookCrowd } from '../../contracts/faults/notebook-crowd.js';
import type { Proof } from './trials/proof.js';

const MAX_CONCURRENT = 20;

/**
 * Many notebooks at once on one controller, with kube-apiserver. As many run as may, the others wait. An Application
 * that is made while they wait is delivered although no notebook ends, and each commit that is made while they end is
 * delivered although only a quarter of them may end meanwhile. The controller needs at most 128 MB more than with a
 * tenth of the notebooks, by its highest resident size.
 */
export const proof: Proof = {
  name: 'notebook-many',
  sizes: { smoke: 10, full: 200 },
  async run({ size, log }) {
    const crowd = await NotebookCrowd.open({
      jobs: size,
      few: Math.ceil(size / 10),
      most: Math.min(MAX_CONCURRENT, Math.ceil(size / 10)),
    });
    try {
      const { wrong, figures } = await crowd.play(log);
      for (const line of wrong) log(line);
      return { ok: wrong.length === 0, done: size, figures: { ...figures } };
    } finally {
      await crowd.close();
    }
  },
};
