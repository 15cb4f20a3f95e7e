import { openAppLab } from '../../contracts/cli/app-lab.js';
import { mutateCommand } from '../../contracts/cli/mutations/mutate-command.js';
import { whatIsWrong } from '../../contracts/cli/mutations/try-command.js';
import { Fault } from '../../src/model/faults/index.js';
import { runTrials, type Proof } from './trials/proof.js';

const away = (): Promise<never> => Promise.reject(new Fault('USAGE', 'there is none here'));

/**
 * Command lines that are wrong at one place or several, against a cluster with one application: each ends with a
 * sentence and a known code.
 */
export const proof: Proof = {
  name: 'cli-mutations',
  sizes: { smoke: 120, full: 20_000 },
  async run(context) {
    const lab = await openAppLab();
    try {
      return await runTrials(context, async (index) => {
        // A command may have deleted it.
        if ((await lab.get('cart')) === undefined) await lab.create('cart');
        const problem = await whatIsWrong(mutateCommand(context.seed, index), (argv) =>
          lab.run(argv, {
            inspect: away,
            inspectMany: away,
            renderLocal: away,
            openTools: away,
            openStories: away,
            confirm: () => Promise.resolve(false),
            untilStopped: () => Promise.resolve(),
          }),
        );
        return { wrong: problem === undefined ? [] : [problem], counts: { tried: 1 } };
      });
    } finally {
      await lab.close();
    }
  },
};
