import { caseName, casesOf, type HelmCase } from '../../contracts/render/helm/cases.js';
import { listCharts } from '../../contracts/render/helm/charts.js';
import { compareCase } from '../../contracts/render/helm/compare.js';
import { mutantOf, type Mutant } from '../../contracts/render/helm/mutants.js';
import { RealHelm } from '../../contracts/render/helm/real-helm.js';
import { variantOf } from '../../contracts/render/helm/variants.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Charts that others wrote give what helm 4.2.1 gives. The first trials are every chart with every values file; the
 * others change values or templates by chance. `equal` is byte by byte; `random` are charts that differ from
 * themselves, equal but for that; `fails alike` says the same words.
 */
export const proof: Proof = {
  name: 'helm-charts',
  sizes: { smoke: 20, full: 1_500 },
  async run(context) {
    const helm = await RealHelm.open();
    if (typeof helm === 'string') throw new Error(helm);
    const listed = await listCharts();
    if (listed.kind === 'missing') throw new Error(`skipped: charts (${listed.reason})`);
    const { charts } = listed;
    const cases = charts.flatMap(casesOf);
    return runTrials(context, (index) => {
      const wanted = cases[index];
      if (wanted !== undefined) return compareOnce(helm, wanted, 'values files');
      const chart = charts[index % charts.length] ?? charts[0];
      if (chart === undefined) throw new Error('the modules hold no chart');
      const seed = context.seed * 100_003 + index;
      return index % 2 === 0
        ? compareOnce(helm, variantOf(chart, seed), 'values by chance')
        : compareMutant(helm, mutantOf(chart, seed));
    });
  },
};

async function compareMutant(helm: RealHelm, mutant: Mutant): Promise<Trial> {
  try {
    return await compareOnce(helm, mutant, 'templates by chance');
  } finally {
    mutant.drop();
  }
}

async function compareOnce(helm: RealHelm, wanted: HelmCase, what: string): Promise<Trial> {
  const { verdict, first } = await compareCase(helm, wanted);
  const counts = {
    [`${what}: ${verdict}`]: 1,
    ...(wanted.values === 'default' ? { [verdict.startsWith('fails') ? 'charts that need values' : 'charts']: 1 } : {}),
  };
  return {
    wrong:
      verdict === 'different' || verdict === 'fails otherwise' ? [`${caseName(wanted)}: ${verdict}\n${first}`] : [],
    counts,
  };
}
