import { AccessLab } from '../contracts/access/access-lab.js';
import { inLanes } from '../contracts/harness/in-lanes.js';
import { readFlags } from '../contracts/harness/read-flags.js';
import { APPLICATIONS, APP_PROJECTS } from '../src/model/resources/index.js';

/**
 * Measures what the audit log costs requests: rounds against an API with it and against one without take turns. Figures
 * are medians of rounds: milliseconds of processor time a request (client and API), and requests a second.
 */
const HELP = 'usage: npm run bench:audit [-- --rounds 9] [--requests 200] [--quick]\n';
const LANES = 8;
const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    rounds: { ...text, default: '9' },
    requests: { ...text, default: '200' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Act {
  readonly name: string;
  /** Empty for somebody without a session. */
  readonly as: 'admin' | '';
  readonly method: string;
  readonly path: string;
  readonly body?: (turn: number) => object;
  readonly status: number;
}

const ACTS: readonly Act[] = [
  { name: 'read, no line', as: 'admin', method: 'GET', path: '/api/v1/applications/web', status: 200 },
  {
    name: 'change, a line each',
    as: 'admin',
    method: 'PATCH',
    path: '/api/v1/applications/web',
    body: (turn) => ({ patchType: 'merge', patch: JSON.stringify({ metadata: { labels: { turn: `t${turn}` } } }) }),
    status: 200,
  },
  { name: 'refused, combined', as: '', method: 'GET', path: '/api/v1/applications/web', status: 401 },
];

interface Cost {
  readonly milliseconds: number;
  readonly perSecond: number;
}

async function openLab(hasAudit: boolean): Promise<{ readonly lab: AccessLab; readonly token: string }> {
  const lab = await AccessLab.open({ hasAudit });
  const metadata = { name: 'default', namespace: 'argocd' };
  await lab.cluster.create(APP_PROJECTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata,
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  });
  await lab.cluster.create(APPLICATIONS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { ...metadata, name: 'web' },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/a', path: 'a' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  });
  const token = await lab.token();
  await lab.until('the application is known', async () => {
    const { status } = await lab.request('/api/v1/applications/web', { token });
    return status === 200;
  });
  return { lab, token };
}

let turn = 0;
async function round({ lab, token }: Awaited<ReturnType<typeof openLab>>, act: Act, count: number): Promise<Cost> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await inLanes(act.body === undefined ? LANES : 1, Array.from({ length: count }), async () => {
    const { status, text: answer } = await lab.request(act.path, {
      method: act.method,
      token: act.as === '' ? '' : token,
      ...(act.body === undefined ? {} : { body: act.body(++turn) }),
    });
    if (status !== act.status) throw new Error(`${act.name}: ${status} ${answer}`);
  });
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1000 / count, perSecond: (count / (performance.now() - begun)) * 1000 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [rounds, requests] = flags.quick ? [1, 20] : [Number(flags.rounds), Number(flags.requests)];
  const labs = { on: await openLab(true), off: await openLab(false) };
  try {
    for (const act of ACTS) {
      const costs: Record<keyof typeof labs, Cost[]> = { on: [], off: [] };
      for (const each of ['on', 'off'] as const) await round(labs[each], act, Math.ceil(requests / 4));
      for (let index = 0; index < rounds; index++)
        for (const each of index % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const))
          costs[each].push(await round(labs[each], act, requests));
      const [on, off] = [costs.on, costs.off].map((all) => ({
        milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
        perSecond: median(all.map(({ perSecond }) => perSecond)),
      })) as [Cost, Cost];
      const more = on.milliseconds - off.milliseconds;
      process.stdout.write(
        `${act.name.padEnd(20)} on ${on.milliseconds.toFixed(2)} ms  off ${off.milliseconds.toFixed(2)} ms  ` +
          `${more < 0 ? '' : '+'}${more.toFixed(2)} ms (${((more / off.milliseconds) * 100).toFixed(1)} %)  ` +
          `${Math.round(on.perSecond)} and ${Math.round(off.perSecond)} requests a second\n`,
      );
    }
    process.stdout.write(`${(await labs.on.lab.audit()).length} lines were written (at most 10,000 are counted)\n`);
    return 0;
  } finally {
    for (const { lab } of [labs.on, labs.off]) await lab.close();
  }
}

process.exitCode = await main();
