import { openInstallLab, untilDelivered } from '../../contracts/node/installation/install-lab.js';
import { runTrials, type Proof } from './trials/proof.js';

/** What an installation may take, in milliseconds. */
const WITHIN = 60_000;

/**
 * On an empty real node that has the image, `argosy install --ha 2 -o apply` and then the first application: real pods
 * of it are Synced and Healthy within a minute. Needs `npm run parts` and `npm run image`.
 */
export const proof: Proof = {
  name: 'node-install',
  sizes: { smoke: 1, full: 5 },
  run: (context) =>
    runTrials(context, async () => {
      const lab = await openInstallLab();
      try {
        const begun = performance.now();
        const { code, err } = await lab.argosy('install', '--ha', '2', '-o', 'apply');
        if (code !== 0) return { wrong: [err], counts: {} };
        const installed = performance.now() - begun;
        await untilDelivered(lab);
        const delivered = performance.now() - begun;
        return {
          wrong: delivered > WITHIN ? [`the application was delivered after ${Math.round(delivered)} ms`] : [],
          counts: {},
          samples: { 'installed ms': installed, 'delivered ms': delivered },
        };
      } finally {
        await lab.stop();
      }
    }),
};
