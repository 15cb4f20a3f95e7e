import { join } from 'node:path';
import { argoCdModule } from '../../contracts/argocd/module.js';
import { isWanted, readOptions, readSamples, reasonToSkip, type Case } from '../../contracts/deliver/case.js';
import { chosenClusters } from '../../contracts/deliver/clusters.js';
import { Delivery } from '../../contracts/deliver/delivery.js';
import type { Proof, ProofContext } from './trials/proof.js';

const AT_ONCE = 4;
const ALL = readSamples('').length + readOptions().length;

/**
 * Argo CD's own end-to-end samples end as its tests assert, and every hook, option and annotation does what the map
 * says, on the embedded cluster and on a real control plane with kwok. `size` cases of each cluster; ARGOSY_CONTRACT
 * chooses one cluster, ARGOSY_CASE cases by words of their names.
 */
export const proof: Proof = {
  name: 'argocd-samples',
  sizes: { smoke: 12, full: ALL },
  async run(context) {
    const module = argoCdModule();
    if (module === undefined) throw new Error('skipped: samples (no Go toolchain or no module proxy)');
    const cases = [...readSamples(join(module, 'test/e2e/testdata')), ...readOptions()]
      .filter(isWanted)
      .slice(0, context.size);
    const figures: Record<string, number> = {
      cases: cases.length,
      folders: new Set(cases.filter((one) => one.root.startsWith(module)).flatMap((one) => one.folders)).size,
      'meant differently': cases.filter((one) => one.differs.length > 0).length,
    };
    for (const kind of chosenClusters('both')) {
      const absent = await kind.missing();
      if (absent !== undefined) throw new Error(absent);
      const { passed, failed, skipped } = await playAll(await Delivery.open(kind.open), cases, context);
      Object.assign(figures, {
        [`${kind.name} passed`]: passed,
        [`${kind.name} failed`]: failed,
        [`${kind.name} skipped`]: skipped,
      });
    }
    const isOk = Object.entries(figures).every(([name, count]) => !name.endsWith('failed') || count === 0);
    return { ok: isOk, done: cases.length, figures };
  },
};

async function playAll(
  delivery: Delivery,
  cases: readonly Case[],
  { log }: ProofContext,
): Promise<{ passed: number; failed: number; skipped: number }> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...cases];
  const { name } = delivery.cluster;
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const reason = reasonToSkip(one, name);
      if (reason !== undefined) {
        counts.skipped++;
        log(`${name}: ${one.name}: skipped: ${reason}`);
        continue;
      }
      const wrong = await delivery.play(one).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      counts[wrong === undefined ? 'passed' : 'failed']++;
      if (wrong !== undefined) log(`${name}: ${wrong}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await delivery.close();
  }
  return counts;
}
