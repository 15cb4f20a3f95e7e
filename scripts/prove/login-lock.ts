import { lockOut } from '../../contracts/access/login-lock.js';
import type { Proof } from './trials/proof.js';

/**
 * An account that was locked by five wrong passwords stays locked through `kill -9`, through as many other names as the
 * size says, and through 200 tries at once; every answer is a refusal, the process goes on, and its thread is not late
 * by more than 200 ms, p99.
 */
export const proof: Proof = {
  name: 'login-lock',
  sizes: { smoke: 16, full: 20_000 },
  async run({ size, log }) {
    const { wrong, answers, delay } = await lockOut(size);
    for (const line of wrong) log(line);
    return {
      ok: wrong.length === 0 && delay < 200,
      done: size,
      figures: {
        strangers: size,
        ...Object.fromEntries(Object.entries(answers).map(([status, count]) => [`answered ${status}`, count])),
        'delay of the thread p99 ms': delay,
        wrong: wrong.length,
      },
    };
  },
};
