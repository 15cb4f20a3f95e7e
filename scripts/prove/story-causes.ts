import { join } from 'node:path';
import { StoryCauses } from '../../contracts/web/story-causes.js';
import { readStories } from '../../world/demo/index.js';
import { runTrials, type Proof } from './trials/proof.js';

const stories = [...readStories(join(import.meta.dirname, '../../world/stories')).values()];

/**
 * Every story of `argosy demo list` tells its cause, on the page in a real browser and in `app get`, and no longer
 * tells it when it is healed.
 */
export const proof: Proof = {
  name: 'story-causes',
  sizes: { smoke: 2, full: stories.length },
  async run(context) {
    const causes = await StoryCauses.open();
    try {
      return await runTrials(context, async (index) => {
        const story = stories[(index * STRIDE + context.seed) % stories.length];
        if (story === undefined) throw new Error('there are no stories');
        const { wrong, isExplained, applications } = await causes.play(story);
        const found = isExplained ? 'explained' : 'unexplained';
        context.log(`${story.name}: ${wrong.length > 0 ? 'wrong' : found}`);
        return {
          wrong: wrong.map((line) => `${story.name}: ${line}`),
          counts: { told: isExplained ? 1 : 0, untold: isExplained ? 0 : 1, 'applications that say it': applications },
        };
      });
    } finally {
      await causes.close();
    }
  },
};

/**
 * A few of them are of many sorts; whatever their number is, this one has no divisor in common with it, so all of them
 * are all.
 */
const STRIDE = [17, 19, 23].find((stride) => stories.length % stride !== 0) ?? 1;
