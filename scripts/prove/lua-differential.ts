import { compareProgram, differenceText } from '../../contracts/lua/differential.js';
import { GopherLua } from '../../contracts/lua/gopher-lua.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Random programs, a trial each, print, return and fail on our Lua engine exactly as on gopher-lua 1.1.2. Counted are
 * the programs of each topic, the lines they print and those lines that tell of an error.
 */
export const proof: Proof = {
  name: 'lua-differential',
  sizes: { smoke: 300, full: 10_000 },
  async run(context) {
    const gopherLua = await GopherLua.open();
    if (typeof gopherLua === 'string') throw new Error(gopherLua);
    try {
      return await runTrials({ ...context, log: everyThousand(context.log) }, (index) =>
        runOnBoth(gopherLua, context.seed * 1_000_003 + index),
      );
    } finally {
      await gopherLua.close();
    }
  },
};

async function runOnBoth(gopherLua: GopherLua, seed: number): Promise<Trial> {
  const { topic, lines, errors, crashed, difference } = await compareProgram(gopherLua, seed);
  return {
    wrong: difference === undefined ? [] : [differenceText(difference)],
    counts: {
      equal: crashed === true || difference !== undefined ? 0 : 1,
      'gopher-lua crashed': crashed === true ? 1 : 0,
      'lines printed': lines,
      'errors among them': errors,
      [`topic ${topic}`]: 1,
    },
  };
}

/** A trial takes a millisecond: of the lines about progress one in fifty is enough. */
function everyThousand(log: (line: string) => void): (line: string) => void {
  return (line) => (/^(\d+) of \d+ trials$/.test(line) && !/^\d*000 /.test(line) ? undefined : log(line));
}
