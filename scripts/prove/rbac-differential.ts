import { ArgoCdRights } from '../../contracts/rbac/argo-cd.js';
import { differences } from '../../contracts/rbac/differences.js';
import { generateQuestion } from '../../contracts/rbac/generate.js';
import { answerOurs } from '../../contracts/rbac/ours.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Policies, projects and wishes by chance, 25 wishes a trial: Argosy allows exactly what the enforcer of Argo CD 3.5.6
 * allows. Counted are the wishes, how many were allowed, and how many policies neither can use.
 */
export const proof: Proof = {
  name: 'rbac-differential',
  sizes: { smoke: 100, full: 20_000 },
  async run(context) {
    const theirs = await ArgoCdRights.open();
    if (typeof theirs === 'string') throw new Error(theirs);
    try {
      return await runTrials({ ...context, log: everyThousand(context.log) }, (index) =>
        compare(theirs, context.seed * 1_000_003 + index),
      );
    } finally {
      await theirs.close();
    }
  },
};

async function compare(theirs: ArgoCdRights, seed: number): Promise<Trial> {
  const question = generateQuestion(seed);
  const reply = await theirs.answer(question);
  return {
    wrong: differences(question, reply, answerOurs(question)),
    counts: {
      wishes: reply.allowed.length,
      allowed: reply.allowed.filter(Boolean).length,
      'policies that nobody can use': reply.isBroken ? 1 : 0,
    },
  };
}

/** A trial takes a millisecond: of the lines about progress one in fifty is enough. */
function everyThousand(log: (line: string) => void): (line: string) => void {
  return (line) => (/^(\d+) of \d+ trials$/.test(line) && !/^\d*000 /.test(line) ? undefined : log(line));
}
