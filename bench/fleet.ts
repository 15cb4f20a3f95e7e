import { join, resolve } from 'node:path';
import { countLines } from '../contracts/deliver/fleet/counts.js';
import { breakPhase, deliverFleet, healPhase, type Phase } from '../contracts/deliver/fleet/phases.js';
import { FleetLab } from '../contracts/deliver/fleet/lab.js';
import { ProcessTree, type TreeUse } from './deliver/process-tree.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures the delivery of a whole fleet by `argosy up`, the cluster and its world included: from the first Application
 * to the moment when all are Synced and Healthy; then the way to the first moment of the inventory, and back. `--quick`
 * is a smoke run; its bar is not judged.
 */
const HELP = `usage: npm run bench:fleet [-- --quick] [--envs 3] [--apps 65] [--main dist/main.js] [--profile DIR]
`;
/** Seconds for 200 applications in three environments. */
const BAR = 30;
const MAX_NAMED = 20;
const ROOT = resolve(import.meta.dirname, '..');

const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    envs: { ...text, default: '3' },
    apps: { ...text, default: '65' },
    main: { ...text, default: join(ROOT, 'dist/main.js') },
    profile: text,
    help: { type: 'boolean', default: false },
  },
});

async function measured(stage: FleetLab, work: (stage: FleetLab) => Promise<Phase>): Promise<Phase & TreeUse> {
  const tree = new ProcessTree(stage.child.pid);
  tree.start();
  try {
    return { ...(await work(stage)), ...tree.stop() };
  } finally {
    tree.stop();
  }
}

function printPhase(title: string, { seconds, cpuSeconds, peakBytes, counts, wrong }: Phase & TreeUse): boolean {
  process.stdout.write(
    `\n${title}: ${wrong.length === 0 ? 'reached' : 'given up'} after ${seconds.toFixed(1)} s, ` +
      `${cpuSeconds.toFixed(1)} s of processor, ${Math.round(peakBytes / 1e6)} MB\n`,
  );
  for (const line of countLines(counts)) process.stdout.write(`  ${line}\n`);
  for (const line of wrong.slice(0, MAX_NAMED)) process.stdout.write(`  ${line}\n`);
  if (wrong.length > MAX_NAMED) process.stdout.write(`  and ${wrong.length - MAX_NAMED} more\n`);
  return wrong.length === 0;
}

async function main(): Promise<number> {
  const size = flags.quick
    ? { environments: 1, applications: 12 }
    : { environments: Number(flags.envs), applications: Number(flags.apps) };
  const stage = await FleetLab.open({
    ...size,
    main: flags.main,
    ...(flags.profile === undefined ? {} : { nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${resolve(flags.profile)}`] }),
  });
  try {
    await stage.prepare();
    const healthy = await measured(stage, deliverFleet);
    const isInTime = flags.quick || healthy.seconds < BAR;
    const isHealthy = printPhase(`created, all Synced and Healthy (bar ${BAR} s)`, healthy);
    const isBroken = printPhase('the first moment', await measured(stage, breakPhase));
    const isHealed = printPhase('healed', await measured(stage, healPhase));
    return isHealthy && isInTime && isBroken && isHealed ? 0 : 1;
  } finally {
    await stage.close();
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
