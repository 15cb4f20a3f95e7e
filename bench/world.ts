import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild, type Child } from '../contracts/real/child.js';
import { connect, loadKubeconfig, systemClock, type Cluster, type ClientDependencies } from '../src/cluster/index.js';
import { createAssessor, readCatalogue, type Assessor } from '../src/health/index.js';
import { cpuMs } from './apiserver/process-facts.js';
import {
  applyFleet,
  awaitHealth,
  awaitSymptoms,
  FIRST_CLUSTER_SYMPTOMS,
  firstSymptoms,
  keepOwnNodes,
  kindsToWatch,
  makeFleet,
  readMoment,
  renderFleet,
  writeRepository,
  type Fleet,
  type Moment,
  type RenderedApplication,
  type Unhealthy,
} from '../world/fleet/index.js';
import { symptomTable } from './world/symptom-table.js';
import { readFlags } from '../contracts/harness/read-flags.js';

/**
 * Measures how long the objects of a whole fleet need to become healthy on the embedded cluster with all controllers of
 * the world: from the first request to the moment when every object is Healthy at once. `--quick` is a smoke run; its
 * bar is not judged. Then the same platform as it was at its first moment, in a cluster of its own: every symptom of
 * the inventory must be seen in every environment. `--moment first` is this alone.
 */
const HELP = `usage: npm run bench:world [-- --quick] [--moment first] [--envs 3] [--apps 65]
                          [--main dist/main.js] [--world world]
`;
/** Seconds for 200 applications in three environments. */
const BAR = 20;
const READY_WITHIN = 60_000;
const HEALTHY_WITHIN = 120_000;
const SYMPTOMS_WITHIN = 120_000;
const POLL_INTERVAL = 500;
/** Kinds that cannot become healthy here, and why; they are applied and named, but not waited for. */
const NOT_ASSESSED: ReadonlyMap<string, string> = new Map([
  ['NotebookValidationJob', 'its operator is a part of the controller, which does not run here'],
]);
const ROOT = resolve(import.meta.dirname, '..');

const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    moment: text,
    envs: { ...text, default: '3' },
    apps: { ...text, default: '65' },
    main: { ...text, default: join(ROOT, 'dist/main.js') },
    world: { ...text, default: join(ROOT, 'world') },
    help: { type: 'boolean', default: false },
  },
});

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

async function timed<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly took: number }> {
  const begin = performance.now();
  const result = await work();
  return { result, took: performance.now() - begin };
}

/** The server as a user starts it, with the world. */
async function startServer(folder: string): Promise<{ readonly child: Child; readonly kubeconfig: string }> {
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  const child = startChild(
    process.execPath,
    ['--disable-proto=delete', flags.main, 'apiserver', '--data', data, '--api-port', '0', '--world', flags.world],
    join(folder, 'apiserver.log'),
  );
  const deadline = performance.now() + READY_WITHIN;
  while (!existsSync(join(data, 'run.json'))) {
    child.assertAlive();
    if (performance.now() > deadline)
      throw new Error(`the server is not ready after ${seconds(READY_WITHIN)}; see ${child.logPath}`);
    await delay(20);
  }
  return { child, kubeconfig: join(data, 'kubeconfig') };
}

function loadAssessor(): Assessor {
  const folder = join(ROOT, 'catalogue');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path));
  return createAssessor({
    catalogue: readCatalogue(files.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))),
    now: Date.now,
    elapsed: () => performance.now(),
  });
}

interface Delivered {
  readonly objects: number;
  readonly applied: number;
  readonly healthy: number;
  readonly unhealthy: readonly Unhealthy[];
  /** Which objects became healthy when, in milliseconds. */
  readonly times: readonly (readonly [string, number])[];
}

async function deliver(
  cluster: Cluster,
  world: ClientDependencies,
  fleet: Fleet,
  rendered: readonly RenderedApplication[],
): Promise<Delivered> {
  const assessor = loadAssessor();
  const begin = performance.now();
  const objects = await applyFleet(cluster, fleet.outside, rendered);
  const applied = performance.now() - begin;
  const { kinds } = await cluster.discover();
  const times: [string, number][] = [];
  const onHealthy = (object: string): void => {
    times.push([object, performance.now() - begin]);
  };
  const judged = objects.filter(({ kind }) => !NOT_ASSESSED.has(kind));
  const unhealthy = await awaitHealth(cluster, world, {
    objects: judged,
    kinds: kindsToWatch(judged, kinds, assessor),
    assessor,
    within: HEALTHY_WITHIN,
    onHealthy,
  });
  return { objects: objects.length, applied, healthy: performance.now() - begin, unhealthy, times };
}

interface BenchContext {
  readonly fleet: Fleet;
  readonly rendered: readonly RenderedApplication[];
  readonly rendering: number;
  readonly child: Child;
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
}

/** A fleet, rendered, and an empty cluster for it, which ends with the work. */
async function withCluster<Result>(
  folder: string,
  moment: Moment | undefined,
  work: (stage: BenchContext) => Promise<Result>,
): Promise<Result> {
  const fleet = makeFleet({
    environments: flags.quick ? 1 : Number(flags.envs),
    applications: flags.quick ? 8 : Number(flags.apps),
    repository: { url: `file://${folder}/fleet.git`, revision: 'main' },
    ...(moment === undefined ? {} : { moment }),
  });
  writeRepository(join(folder, 'fleet.git'), [{ message: 'The platform and its applications', files: fleet.files }]);
  const { result: rendered, took: rendering } = await timed(() =>
    renderFleet(fleet.applications, { data: join(folder, 'mirrors') }),
  );
  const { child, kubeconfig } = await startServer(folder);
  try {
    const world: ClientDependencies = { clock: systemClock, random: Math.random, report: () => undefined };
    const cluster = connect(
      await loadKubeconfig({ path: kubeconfig, environment: {}, defaultPath: kubeconfig }),
      world,
      { version: 'bench', environment: {} },
    );
    try {
      return await work({ fleet, rendered, rendering, child, cluster, world });
    } finally {
      await cluster.close();
    }
  } finally {
    await child.stop();
  }
}

/** Whether all became healthy in time. */
async function measureHealth({ fleet, rendered, rendering, child, cluster, world }: BenchContext): Promise<boolean> {
  const { objects, applied, healthy, unhealthy, times } = await deliver(cluster, world, fleet, rendered);
  const isGood = unhealthy.length === 0;
  process.stdout.write(
    `${fleet.applications.length} applications, ${objects} objects: rendered in ${seconds(rendering)}, ` +
      `applied in ${seconds(applied)}, ${isGood ? 'all healthy' : 'given up'} after ${seconds(healthy)} (bar ` +
      `${BAR} s)\n`,
  );
  for (const [kind, reason] of NOT_ASSESSED) process.stdout.write(`  not judged: ${kind}, because ${reason}\n`);
  process.stdout.write(`  the server used ${seconds(cpuMs([child.pid]))} of a processor since its start\n`);
  for (const [object, after] of times.slice(-5)) process.stdout.write(`  last: ${seconds(after)} ${object}\n`);
  for (const { object, status, message } of unhealthy.slice(0, 40))
    process.stdout.write(`  ${status} ${object}: ${message}\n`);
  if (unhealthy.length > 40) process.stdout.write(`  and ${unhealthy.length - 40} more\n`);
  return isGood && (flags.quick || healthy < BAR * 1000);
}

/** Whether every symptom of the first moment is seen. */
async function measureFirstMoment({ fleet, rendered, rendering, cluster }: BenchContext): Promise<boolean> {
  const wait = { within: SYMPTOMS_WITHIN, pause: () => delay(POLL_INTERVAL), elapsed: () => performance.now() };
  await keepOwnNodes(cluster, fleet.outside, wait);
  const { result: objects, took: applied } = await timed(() => applyFleet(cluster, fleet.outside, rendered));
  const begin = performance.now() - applied;
  const wanted = [
    { name: 'cluster', symptoms: FIRST_CLUSTER_SYMPTOMS },
    ...fleet.environments.map((environment) => ({
      name: environment.name,
      symptoms: firstSymptoms(environment, rendered),
    })),
  ];
  const seen = await awaitSymptoms(
    cluster,
    wanted.flatMap(({ symptoms }) => symptoms),
    wait,
  );
  const took = performance.now() - begin;
  const missing = seen.flatMap((each) =>
    each.missing.map((text) => `${each.symptom.namespace ?? 'cluster'} ${each.symptom.kind} ${text}`),
  );
  process.stdout.write(
    `first moment: ${fleet.applications.length} applications, ${objects.length} objects: rendered in ` +
      `${seconds(rendering)}, applied in ${seconds(applied)}, ` +
      `${missing.length === 0 ? `all ${seen.length} symptoms at once` : 'given up'} after ${seconds(took)}\n`,
  );
  const places = wanted.map(({ name, symptoms }) => ({
    name,
    seen: seen.filter(({ symptom }) => symptoms.includes(symptom)),
  }));
  for (const line of symptomTable(places, begin)) process.stdout.write(`${line}\n`);
  for (const text of missing.slice(0, 40)) process.stdout.write(`  missing: ${text}\n`);
  if (missing.length > 40) process.stdout.write(`  and ${missing.length - 40} more\n`);
  return missing.length === 0;
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-bench-world-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const only = flags.moment === undefined ? undefined : readMoment(flags.moment);
  const isHealthy = only !== undefined || (await inFolder((folder) => withCluster(folder, undefined, measureHealth)));
  const isSeen = await inFolder((folder) => withCluster(folder, 'first', measureFirstMoment));
  return isHealthy && isSeen ? 0 : 1;
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
