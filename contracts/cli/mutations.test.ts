import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fault } from '../../src/model/faults/index.js';
import { openAppLab, type AppLab } from './app-lab.js';
import { mutateCommand } from './mutations/mutate-command.js';
import { whatIsWrong } from './mutations/try-command.js';

const TRIALS = 60;
const SEED = 1;

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await lab.create('cart');
});
afterAll(() => lab.close());

const away = (): Promise<never> => Promise.reject(new Fault('USAGE', 'there is none here'));

it(`any input ends with a result or an error message (${TRIALS}` +
  ' command lines; npm run prove -- cli-mutations tries more)', async () => {
  const wrong: string[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const problem = await whatIsWrong(mutateCommand(SEED, trial), (argv) =>
      lab.run(argv, {
        inspect: away,
        inspectMany: away,
        renderLocal: away,
        generate: away,
        openTools: away,
        openStories: away,
        confirm: () => Promise.resolve(false),
        untilStopped: () => Promise.resolve(),
      }),
    );
    if (problem !== undefined) wrong.push(problem);
  }
  expect(wrong).toEqual([]);
}, 300_000);
