import { compareCase, differenceText } from '../../contracts/argocd-cli/compare.js';
import { caseNames, CommandLine } from '../../contracts/argocd-cli/play.js';
import { startArgosy } from '../../contracts/argocd-cli/servers.js';
import { cachedParts } from '../../contracts/real/part-table.js';
import type { Proof } from './trials/proof.js';

/** Of all commands, how many say the same. */
const GOAL = 0.97;

/**
 * The command line of Argo CD, built from its own module, with our server: every command says what it was recorded to
 * say with the server of Argo CD, masked. Differences are listed; at least 97 % are equal.
 */
export const proof: Proof = {
  name: 'argocd-cli',
  sizes: { smoke: 1, full: caseNames().length },
  async run({ size, log }) {
    const { paths, missing } = cachedParts(['argocd']);
    if (missing.length > 0) throw new Error('argocd is missing: npm run parts -- argocd');
    const server = await startArgosy();
    let [commands, equal, explained, done] = [0, 0, 0, 0];
    try {
      const line = new CommandLine(paths.argocd, server);
      for (const name of caseNames().slice(0, size)) {
        const found = await compareCase(name, line);
        commands += found.commands;
        equal += found.commands - found.differences.length;
        explained += found.differences.filter(({ reason }) => reason !== '').length;
        for (const difference of found.differences) log(differenceText(difference));
        log(`${name}: ${found.commands - found.differences.length} of ${found.commands} equal`);
        done++;
      }
    } finally {
      await server.stop();
    }
    return { ok: equal >= GOAL * commands, done, figures: { commands, equal, explained } };
  },
};
