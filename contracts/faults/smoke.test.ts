import { afterAll, describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../harness/sizes.js';
import { realParts } from '../real/parts.js';
import { shareLabPlane } from './lab-plane.js';
import type { Proof } from '../../scripts/prove/trials/proof.js';

const parts = await realParts();

/** Each proof at its smoke size, with the real control plane. `npm run prove -- NAME` runs it at its full size. */
const PROOFS = ['deliver-hooks', 'deliver-prune', 'deliver-deletions', 'notebook-kills', 'notify-kills'] as const;
/** These take as long again, and each can be run by its name. */
const PROOFS_OF_WHOLE = ['deliver-ghosts', 'deliver-repeats', 'deliver-rejections', 'notebook-many'] as const;

describe('a controller that meets faults delivers as one that does not', () => {
  if (parts.kind === 'missing') {
    it.skip(`skipped: kube-apiserver (${parts.reason})`, () => {
      /* the name says why */
    });
    return;
  }
  afterAll(shareLabPlane(), 60_000);

  it.each(IS_WHOLE ? [...PROOFS, ...PROOFS_OF_WHOLE] : PROOFS)(
    '%s',
    async (name) => {
      const { proof } = (await import(`../../scripts/prove/${name}.ts`)) as { readonly proof: Proof };
      const lines: string[] = [];
      const { ok, done } = await proof.run({ seed: 1, size: proof.sizes.smoke, log: (line) => lines.push(line) });
      expect(ok, lines.join('\n')).toBe(true);
      expect(done).toBe(proof.sizes.smoke);
    },
    20 * 60_000,
  );
});
