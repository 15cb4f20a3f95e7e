import { afterAll, describe, expect, it } from 'vitest';
import { compareProgram, differenceText } from './differential.js';
import { TOPICS } from './generate/topics.js';
import { GopherLua } from './gopher-lua.js';

const SEED = 1;
const PROGRAMS_A_TOPIC = 20;
const opened = await GopherLua.open();

// `npm run prove -- lua-differential` runs ten thousand.
describe('random programs do on our Lua what they do on gopher-lua 1.1.2', () => {
  if (typeof opened === 'string') {
    it.skip(opened, () => {
      /* the name says why */
    });
    return;
  }
  afterAll(() => opened.close());

  it.each(Object.keys(TOPICS))('%s', async (topic) => {
    for (let index = 0; index < PROGRAMS_A_TOPIC; index++) {
      const { difference } = await compareProgram(opened, SEED * 1_000_003 + index, topic);
      expect(difference === undefined ? '' : differenceText(difference)).toBe('');
    }
  });
});
