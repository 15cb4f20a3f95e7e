import { GoTemplate } from '../../contracts/render/go-template.js';
import { compareTask, differenceText } from '../../contracts/render/template-differential.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Random templates and values, a trial each, give on our engine the text that Go's text/template with sprig gives, or
 * fail with the same message. Counted are the trials of each topic, and how they end.
 */
export const proof: Proof = {
  name: 'template-differential',
  sizes: { smoke: 300, full: 20_000 },
  async run(context) {
    const go = await GoTemplate.open();
    if (typeof go === 'string') throw new Error(go);
    try {
      return await runTrials({ ...context, log: everyThousand(context.log) }, (index) =>
        renderOnBoth(go, context.seed * 1_000_003 + index),
      );
    } finally {
      await go.close();
    }
  },
};

async function renderOnBoth(go: GoTemplate, seed: number): Promise<Trial> {
  const { topic, answer, difference } = await compareTask(go, seed);
  const end = { '': 'rendered', parse: 'do not parse', exec: 'fail', panic: 'panic', time: 'not finished by Go' }[
    answer.failure
  ];
  return {
    wrong: difference === undefined ? [] : [differenceText(difference)],
    counts: { [`topic ${topic}`]: 1, [end]: 1 },
  };
}

/** A trial takes a millisecond: of the lines about progress one in fifty is enough. */
function everyThousand(log: (line: string) => void): (line: string) => void {
  return (line) => (/^(\d+) of \d+ trials$/.test(line) && !/^\d*000 /.test(line) ? undefined : log(line));
}
