import { renderOther } from '../../src/render/safety/runaway-templates.js';
import { safetyCases, type SafetyCase } from './render-safety/cases.js';
import { measure } from './render-safety/measure.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/** How much more memory one case may take at its highest. */
const MAX_MEGABYTES = 256;
/**
 * The rows whose cases are after memory. To collect garbage before each slows what follows, so the others go without.
 */
const GROWING: ReadonlySet<string> = new Set(['S34', 'S35', 'H4', 'H10']);

/**
 * Whatever is hostile in a source costs little: every case of our tables, a trial each and all in one process, ends as
 * it should, within the time of its row and with less than 256 MB more memory, and the process then renders something
 * ordinary. The suites run the same cases without a clock. With a size above the number of cases they are run again.
 */
export const proof: Proof = {
  name: 'render-safety',
  sizes: { smoke: 0, full: safetyCases().cases.length },
  async run(context) {
    const { cases, close } = safetyCases();
    const slowest = new Map<string, number>();
    const largest = new Map<string, number>();
    // The first use of a part of the program compiles it; that is not what a hostile source costs.
    for (const first of cases.slice(0, 100)) await (await first.prepare())();
    try {
      const result = await runTrials(context, (index) => tryCase(cases[index % cases.length], slowest, largest));
      return {
        ...result,
        figures: {
          ...result.figures,
          cases: cases.length,
          ...named(slowest, 'slowest ms'),
          ...named(largest, 'most MB'),
        },
      };
    } finally {
      await close();
    }
  },
};

async function tryCase(
  one: SafetyCase | undefined,
  slowest: Map<string, number>,
  largest: Map<string, number>,
): Promise<Trial> {
  if (one === undefined) throw new Error('there are no cases');
  const { row, name } = one;
  const act = await one.prepare();
  const {
    result: { ending, isAsWanted },
    cost,
  } = await measure(act, GROWING.has(row));
  const mostSeconds = (ending === 'rendered' ? undefined : one.mostSecondsRefused) ?? one.mostSeconds;
  const serves = JSON.stringify(renderOther()) === '{"shown":"3"}';
  slowest.set(row, Math.max(slowest.get(row) ?? 0, cost.seconds * 1000));
  largest.set(row, Math.max(largest.get(row) ?? 0, cost.megabytes));
  const wrong = [
    ...(isAsWanted ? [] : [`ended with ${ending}`]),
    ...(cost.seconds > mostSeconds ? [`took ${cost.seconds.toFixed(3)} s, ${mostSeconds} s are allowed`] : []),
    ...(cost.megabytes > MAX_MEGABYTES
      ? [`took ${cost.megabytes.toFixed(0)} MB, ${MAX_MEGABYTES} MB are allowed`]
      : []),
    ...(serves ? [] : ['the process does not render any more']),
  ];
  return {
    wrong: wrong.map((what) => `${row}, ${name.slice(0, 80)}: ${what}`),
    counts: { [`${row} cases`]: 1 },
    samples: { [`${row} ms`]: cost.seconds * 1000 },
  };
}

function named(worst: ReadonlyMap<string, number>, what: string): Record<string, number> {
  return Object.fromEntries([...worst].map(([row, value]) => [`${row} ${what}`, Math.round(value * 10) / 10]));
}
