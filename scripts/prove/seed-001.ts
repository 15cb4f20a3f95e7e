import { metricsBlock, type Metrics } from '../../contracts/deliver/seed-001/metrics.js';
import { Platform, platformMissing } from '../../contracts/deliver/seed-001/platform.js';
import { Seed } from '../../contracts/deliver/seed-001/seed.js';
import { runTrials, type Proof, type ProofContext, type Trial } from './trials/proof.js';

/**
 * The eight applications of seed 001 start in the states that it found, end in those that it expects, and its three
 * runs of stage02-model-alignment end as they must. Its metrics are printed in its own layout, before and after.
 */
export const proof: Proof = {
  name: 'seed-001',
  sizes: { smoke: 1, full: 5 },
  run(context) {
    const seed = Seed.read();
    const absent = seed.isDocument
      ? platformMissing()
      : 'seed 001 is not on this machine: its own words are what this proves';
    if (absent !== undefined) throw new Error(absent);
    return runTrials(context, () => trial(seed, context));
  },
};

async function trial(seed: Seed, { log }: ProofContext): Promise<Trial> {
  const platform = await Platform.open(seed);
  const samples: Record<string, number> = {};
  try {
    await platform.break();
    const before = logMetrics('Before Fixes', await platform.metrics(), log, samples);
    const begin = performance.now();
    await platform.fix();
    samples['seconds from the fixing commit to the expected state'] = (performance.now() - begin) / 1000;
    logMetrics('After Fixes', await platform.metrics(), log, samples);
    await platform.syncAsWritten();
    await platform.syncWithRespect();
    await platform.deleteDeployment();
    logMetrics('After Recreation', await platform.metrics(), log, samples);
    const isAsFound = before.join('\n') === seed.block(302, 304).join('\n');
    return {
      wrong: isAsFound ? [] : [`the metrics before are not those of the document: ${before.join(' ')}`],
      counts: {},
      samples,
    };
  } catch (error) {
    return { wrong: [error instanceof Error ? error.message : String(error)], counts: {} };
  } finally {
    await platform.close();
  }
}

function logMetrics(
  heading: string,
  metrics: Metrics,
  log: (line: string) => void,
  samples: Record<string, number>,
): string[] {
  const block = metricsBlock(metrics);
  log(['', `### ${heading}`, '', ...block, ''].join('\n'));
  const { all, synced, healthy, errors } = metrics;
  for (const [what, count] of Object.entries({ applications: all, synced, healthy, errors: errors.length }))
    samples[`${heading.toLowerCase()}: ${what}`] = count;
  return block;
}
