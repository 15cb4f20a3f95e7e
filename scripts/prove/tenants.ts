import { readRoutes } from '../../contracts/api/mutations.js';
import { attack } from '../../contracts/access/tenants/attacks.js';
import { TenantWorld } from '../../contracts/access/tenants/tenant-world.js';
import { WEAKENINGS, weakened } from '../../contracts/access/tenants/weakened.js';
import { runTrials, type Proof } from './trials/proof.js';

const A_TRIAL = 500;
/** Fewer, to say how soon it is found. */
const A_SEARCH = 100;
const MAX_UNTIL_FOUND = 4000;

/** After how many attacks it shows that a decision was taken out; 0 where it does not. */
async function findWeakness(name: string, seed: number): Promise<number> {
  const program = weakened(WEAKENINGS[name] ?? []);
  try {
    const world = await TenantWorld.open(program.main);
    try {
      const routes = await readRoutes(world.lab);
      for (let from = 0; from < MAX_UNTIL_FOUND; from += A_SEARCH) {
        const { wrong } = await attack(world, routes, { seed, from, count: A_SEARCH });
        if (wrong.length > 0) return from + A_SEARCH;
      }
      return 0;
    } finally {
      await world.close();
    }
  } finally {
    program.remove();
  }
}

/**
 * Two tenants, each with all rights of its own project and namespace. One attacks over every route of the API and by
 * its rights to Kubernetes, 500 attacks a trial, with any mixture of its own names, addresses, commit ids, status,
 * labels, annotations, tracking ids and owner references and the other's. No answer shows anything of the other, and
 * its objects stay as they are. First each of four decisions is taken out of a copy of the program: the attacks must
 * find that.
 */
export const proof: Proof = {
  name: 'tenants',
  sizes: { smoke: 3, full: 100 },
  async run(context) {
    const found: Record<string, number> = {};
    if (context.resume === undefined)
      for (const name of Object.keys(WEAKENINGS)) {
        const after = await findWeakness(name, context.seed);
        context.log(after === 0 ? `NOT FOUND: ${name}` : `found after ${after} attacks: ${name}`);
        if (after === 0) return { ok: false, done: 0, figures: {} };
        found[`found after: ${name}`] = after;
      }
    const world = await TenantWorld.open();
    try {
      const routes = await readRoutes(world.lab);
      const result = await runTrials({ ...context, resume: withFound(context.resume, found) }, (index) =>
        attack(world, routes, { seed: context.seed, from: index * A_TRIAL, count: A_TRIAL }),
      );
      return { ...result, figures: { routes: routes.length, ...result.figures } };
    } finally {
      await world.close();
    }
  },
};

/** What was found at the first call is part of what all calls found. */
function withFound(resume: Parameters<Proof['run']>[0]['resume'], found: Record<string, number>): typeof resume {
  return resume ?? { done: 0, counts: found, samples: {} };
}
