import { afterAll, describe, expect, it } from 'vitest';
import { GoTemplate } from './go-template.js';
import { compareTask, differenceText } from './template-differential.js';
import { TOPICS } from './templates/topics.js';

const SEED = 1;
const TASKS = 300;
const opened = await GoTemplate.open();

// `npm run prove -- template-differential` runs many more.
describe('random templates give on our engine what they give on text/template', () => {
  if (typeof opened === 'string') {
    it.skip(opened, () => {
      /* the name says why */
    });
    return;
  }
  afterAll(() => opened.close());

  it.each(Object.keys(TOPICS))('%s', async (topic) => {
    for (let index = 0; index < TASKS / Object.keys(TOPICS).length; index++) {
      const { difference } = await compareTask(opened, SEED * 1_000_003 + index, topic);
      expect(difference === undefined ? '' : differenceText(difference)).toBe('');
    }
  });
});
