import { setTimeout as delay } from 'node:timers/promises';
import { applicationOf, type ApplicationPlan } from '../../contracts/faults/application.js';
import { isArray, isObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ARGO_CD_FIVE_HEALS } from './figures.js';
import { ProcessTree } from './process-tree.js';
import { median, type Row } from './report.js';
import { OTHER_MANAGER, BenchLab, type Measured } from './bench-lab.js';
import { fleetFiles, gateFiles, largeFiles, applicationName, waveFiles } from './workload.js';
import { APPLICATIONS, CONFIG_MAPS, SERVICES } from '../../src/model/resources/index.js';

const PER_APPLICATION = 2000;
const AT_LEAST = 60_000;
const REPEATS = 7;
const AUTOMATED = { prune: true, selfHeal: true };

function figureOf({ seconds, cpuSeconds, peakBytes }: Measured): Row['ours'] {
  return { seconds, cpu: cpuSeconds, bytes: peakBytes };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => applicationName(index));

/** Applications of ten resources, created at once by sixteen clients; their namespaces are there before. */
export async function create(stage: BenchLab, count: number): Promise<Row> {
  const names = namesOf(count);
  stage.repository.commit(fleetFiles(count, 1));
  await stage.namespaces(names);
  const plans = names.map(
    (name): ApplicationPlan => ({
      name,
      namespace: name,
      repoURL: stage.repository.url,
      path: `apps/${name}`,
      automated: AUTOMATED,
    }),
  );
  const measured = await stage.measure(async () => {
    await stage.create(plans);
    await stage.until('all are Synced and Healthy', names, (name) => stage.isGood(name), within(count));
  });
  return {
    row: `create ${count}`,
    what: `create ${count} applications -> all Synced and Healthy`,
    ours: figureOf(measured),
  };
}

const within = (count: number): number => Math.max(AT_LEAST, count * PER_APPLICATION);

/** One commit that changes one object of every application, a refresh of each, until the changes are live. */
export async function commitAll(stage: BenchLab, count: number, version: number): Promise<Row> {
  const names = namesOf(count);
  const revision = stage.repository.commit(fleetFiles(count, version));
  const measured = await stage.measure(async () => {
    await stage.refresh(names);
    await stage.until(
      'all changes are live',
      names,
      (name) => stage.value(name, 'settings', 'version') === String(version),
      within(count),
    );
  });
  await stage.until(
    'all are Synced to the commit',
    names,
    (name) => stage.isGood(name) && stage.application(name).revision === revision,
    within(count),
  );
  return {
    row: `commit ${count}`,
    what: `one commit that changes all ${count}, refresh all -> live`,
    ours: figureOf(measured),
  };
}

export async function commitOne(stage: BenchLab, count: number, version: number): Promise<Row> {
  const all: Measured[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const index = (repeat * 7) % count;
    const name = applicationName(index);
    const revision = stage.repository.commit(fleetFiles(1, version + repeat, index));
    all.push(
      await stage.measure(async () => {
        await stage.refresh([name]);
        await stage.until(
          'the change is live',
          [name],
          () => stage.value(name, 'settings', 'version') === String(version + repeat),
          AT_LEAST,
        );
      }),
    );
    await stage.until(
      'it is Synced to the commit',
      [name],
      () => stage.isGood(name) && stage.application(name).revision === revision,
      AT_LEAST,
    );
  }
  return {
    row: 'one',
    what: `one commit, one application of ${count}, refresh -> live, p50 of ${REPEATS}`,
    ours: { seconds: median(all.map(({ seconds }) => seconds)), cpu: median(all.map(({ cpuSeconds }) => cpuSeconds)) },
  };
}

/** Each time another application, so that no backoff is in the way. */
export async function heal(stage: BenchLab, count: number, how: 'delete' | 'modify'): Promise<Row> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const name = applicationName((repeat * 11 + (how === 'delete' ? 3 : 5)) % count);
    times.push(await healOnce(stage, name, how, `drift-${repeat}`));
    await stage.until('it is Synced again', [name], () => stage.isGood(name), AT_LEAST);
  }
  return { row: `heal ${how}`, what: `self-heal after ${how}, p50 of ${REPEATS}`, ours: { seconds: median(times) } };
}

async function healOnce(stage: BenchLab, name: string, how: 'delete' | 'modify', value: string): Promise<number> {
  const id = { namespace: name, name: 'logging' };
  const uid = stage.configMap(name, 'logging')?.metadata.uid ?? '';
  const begin = performance.now();
  if (how === 'delete') {
    await stage.lab.cluster.remove(CONFIG_MAPS, id, { uid });
    await stage.until(
      'it is there again',
      [name],
      () => (stage.configMap(name, 'logging')?.metadata.uid ?? uid) !== uid,
      AT_LEAST,
    );
  } else {
    const written = await stage.changeOutsideGit(id, { data: { level: value } });
    await stage.until(
      'it is as in git again',
      [name],
      () =>
        Number(stage.configMap(name, 'logging')?.metadata.resourceVersion) > written &&
        stage.value(name, 'logging', 'level') === 'info',
      120_000,
    );
  }
  return (performance.now() - begin) / 1000;
}

/** A sync of a commit: with it, what was healed before is forgotten and no backoff is in the way. */
async function renew(stage: BenchLab, indexes: readonly number[], version: number): Promise<void> {
  const names = indexes.map(applicationName);
  const revision = stage.repository.commit(
    Object.assign({}, ...indexes.map((index) => fleetFiles(1, version, index))) as Record<string, string>,
  );
  await stage.refresh(names);
  await stage.until(
    'they are Synced to the commit',
    names,
    (name) =>
      stage.isGood(name) &&
      stage.application(name).revision === revision &&
      stage.application(name).phase === 'Succeeded',
    AT_LEAST,
  );
}

const MAX_HEAL_SECONDS = 60;

/** Somebody who never gives up: healing slows down, within bounds, and says who it is. */
export async function healFive(stage: BenchLab, count: number): Promise<Row> {
  const name = applicationName(count - 1);
  await renew(stage, [count - 1], 1001);
  const times: number[] = [];
  let told = '';
  for (let repeat = 0; repeat < ARGO_CD_FIVE_HEALS.length; repeat++) {
    times.push(await healOnce(stage, name, 'modify', `again-${repeat}`));
    process.stderr.write(`  healed for the ${repeat + 1}. time after ${(times.at(-1) ?? 0).toFixed(2)} s\n`);
    told = stage.application(name).conditions.find((condition) => condition.includes(OTHER_MANAGER)) ?? told;
  }
  const text = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');
  const isBounded = times.every((time) => time <= MAX_HEAL_SECONDS);
  const note =
    `${text(times)} s (Argo CD ${text(ARGO_CD_FIVE_HEALS)} s); condition: ` +
    (told === '' ? 'none names who changes it' : told);
  return {
    row: 'heal five',
    what: 'self-heal of the same object five times',
    ours: { seconds: times.reduce((sum, time) => sum + time, 0) },
    note,
    holds: isBounded && told !== '',
  };
}

/** Each look at the metrics of 200 applications costs the controller a few milliseconds. */
const POLL = 250;
const QUIET = 1500;

/** Commits for one application are news for all of one repository: what is measured next does not carry them. */
async function compareWithNewest(stage: BenchLab, names: readonly string[]): Promise<void> {
  const revision = stage.repository.head();
  await stage.refresh(names);
  await stage.until(
    'all are Synced to the newest commit',
    names,
    (name) => stage.isRefreshed(name) && stage.isGood(name) && stage.application(name).revision === revision,
    within(names.length),
  );
}

/**
 * From the start of the process to its last pass of those that compare every application, which its own metric counts.
 */
export async function restart(stage: BenchLab, count: number): Promise<Row> {
  await compareWithNewest(stage, namesOf(count));
  await stage.controller?.stop();
  const begin = performance.now();
  const controller = await stage.launch();
  const tree = new ProcessTree(controller.pid);
  tree.start(true);
  await controller.ready();
  let passes = 0;
  let last = begin;
  // More passes than applications are possible, so the last one counts.
  await stage.lab.until(
    `${count} applications are reconciled`,
    async () => {
      const now = (await controller.metric('argocd_app_reconcile_count')) ?? 0;
      if (now !== passes) last = performance.now();
      passes = now;
      return passes >= count && performance.now() - last > QUIET;
    },
    AT_LEAST * 2,
    POLL,
  );
  return {
    row: 'restart',
    what: `controller restart, ${count} applications reconciled`,
    ours: figureOf({ seconds: (last - begin) / 1000, ...tree.stop() }),
  };
}

/** Objects deleted and changed while nobody looks. */
export async function drift(stage: BenchLab, count: number): Promise<Row> {
  const indexes = Array.from({ length: Math.min(10, count) }, (_, index) => (index * 13 + 1) % count);
  const names = indexes.map(applicationName);
  await renew(stage, indexes, 1000);
  await stage.controller?.stop();
  const old = new Map(names.map((name) => [name, stage.configMap(name, 'features')?.metadata.uid]));
  for (const [index, name] of names.entries()) {
    const id = { namespace: name, name: 'features' };
    if (index % 2 === 0) await stage.lab.cluster.remove(CONFIG_MAPS, id, { uid: old.get(name) ?? '' });
    else await stage.changeOutsideGit(id, { data: { search: 'broken' } });
  }
  await stage.until('the drift is seen', names, (name) => stage.value(name, 'features', 'search') !== 'off', AT_LEAST);
  const begin = performance.now();
  await stage.launch();
  await stage.until(
    'the drift is repaired',
    names,
    (name) => stage.value(name, 'features', 'search') === 'off',
    180_000,
  );
  const seconds = (performance.now() - begin) / 1000;
  await stage.until('they are Synced', names, (name) => stage.isGood(name), AT_LEAST);
  return {
    row: 'drift',
    what: `drift of ${names.length} objects made while the controller was down, repaired after its start`,
    ours: { seconds },
  };
}

export async function large(stage: BenchLab, count: number): Promise<Row[]> {
  stage.repository.commit(largeFiles(count));
  await stage.namespaces(['large']);
  const plan: ApplicationPlan = {
    name: 'large',
    namespace: 'large',
    repoURL: stage.repository.url,
    path: 'large',
    automated: AUTOMATED,
  };
  const first = await stage.measure(async () => {
    await stage.lab.cluster.create(APPLICATIONS, applicationOf(plan));
    await stage.until('it is Synced and Healthy', ['large'], () => stage.isGood('large'), 300_000);
  });
  const index = count >> 1;
  stage.repository.commit(largeFiles(count, { index, version: 2 }));
  const one = await stage.measure(async () => {
    await stage.refresh(['large']);
    await stage.until(
      'the change is live',
      ['large'],
      () => stage.value('large', `part-${index}`, 'version') === '2',
      120_000,
    );
  });
  return [
    { row: 'large', what: `one application of ${count} ConfigMaps, first sync`, ours: figureOf(first) },
    { row: 'large one', what: `one changed ConfigMap of those ${count} -> live`, ours: figureOf(one) },
  ];
}

export async function waves(stage: BenchLab): Promise<Row> {
  stage.repository.commit(waveFiles(5));
  await stage.namespaces(['waves']);
  const plan: ApplicationPlan = {
    name: 'waves',
    namespace: 'waves',
    repoURL: stage.repository.url,
    path: 'waves',
    automated: AUTOMATED,
  };
  const measured = await stage.measure(async () => {
    await stage.lab.cluster.create(APPLICATIONS, applicationOf(plan));
    await stage.until(
      'it is Synced and Healthy',
      ['waves'],
      () => stage.isGood('waves') && stage.application('waves').phase === 'Succeeded',
      AT_LEAST,
    );
  });
  return { row: 'waves', what: 'one application, 5 waves of 10 resources', ours: figureOf(measured) };
}

const GATES = 10;
/** Seconds in which a wave begins after the health that it waited for. */
const BEGINS_WITHIN = 0.1;

/**
 * From the moment when another client sees the health that a wave waits for to the moment when it sees the first object
 * of the next wave.
 */
export async function gates(stage: BenchLab): Promise<Row> {
  stage.repository.commit(gateFiles(GATES));
  await stage.namespaces(['gates']);
  await stage.lab.cluster.create(
    APPLICATIONS,
    applicationOf({
      name: 'gates',
      namespace: 'gates',
      repoURL: stage.repository.url,
      path: 'gates',
      automated: AUTOMATED,
    }),
  );
  const [sinceSeen, sinceSent]: [number[], number[]] = [[], []];
  for (let wave = 0; wave + 1 < GATES; wave++) {
    await stage.until(
      `it waits for gate-${wave}`,
      ['gates'],
      () => stage.application('gates').message.includes(`gate-${wave}`),
      AT_LEAST,
    );
    const sent = performance.now();
    const seen = stage
      .until(`gate-${wave} is open`, ['gates'], () => hasAddress(stage.service('gates', `gate-${wave}`)), AT_LEAST)
      .then(() => performance.now());
    const begun = stage
      .until(
        `wave ${wave + 1} begins`,
        ['gates'],
        () => stage.configMap('gates', `begun-${wave + 1}`) !== undefined,
        AT_LEAST,
      )
      .then(() => performance.now());
    await stage.lab.cluster.patch(
      SERVICES,
      { namespace: 'gates', name: `gate-${wave}` },
      { type: 'merge', body: { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } } },
      { subresource: 'status' },
    );
    sinceSeen.push(((await begun) - (await seen)) / 1000);
    sinceSent.push(((await begun) - sent) / 1000);
  }
  const worst = Math.max(...sinceSeen);
  const milliseconds = (value: number): string => `${(value * 1000).toFixed(0)} ms`;
  return {
    row: 'gates',
    what: `health -> first object of the next wave, p50 of ${sinceSeen.length}`,
    ours: { seconds: median(sinceSeen) },
    note:
      `slowest ${milliseconds(worst)} (at most ${BEGINS_WITHIN * 1000} ms); with the write of the health p50 ` +
      `${milliseconds(median(sinceSent))}, slowest ${milliseconds(Math.max(...sinceSent))}`,
    holds: worst <= BEGINS_WITHIN,
  };
}

function hasAddress(service: KubeObject | undefined): boolean {
  const status = service?.status;
  return (
    isObject(status) &&
    isObject(status.loadBalancer) &&
    isArray(status.loadBalancer.ingress) &&
    status.loadBalancer.ingress.length > 0
  );
}

const REST = 10_000;

/** Nothing changes: the server's audit log counts what the controller still asks for. */
export async function steady(stage: BenchLab, count: number, minutes: number): Promise<Row> {
  const controller = stage.controller;
  if (controller === undefined) throw new Error('no controller runs');
  await delay(REST);
  const mark = (await stage.lab.settle(0)).length;
  const renders = (await controller.metric('argosy_renders_total')) ?? 0;
  const measured = await stage.measure(() => delay(minutes * 60_000));
  const rendered = ((await controller.metric('argosy_renders_total')) ?? 0) - renders;
  const calls = (await stage.lab.settle(mark)).filter(
    ({ userAgent, user }) => userAgent.startsWith('argosy/') && !userAgent.includes('harness') && user === 'admin',
  );
  const isWrite = (verb: string): boolean => ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb);
  const counts = new Map<string, number>();
  for (const { verb, resource, isDryRun } of calls)
    counts.set(
      `${verb}${isDryRun ? ' dry run' : ''} ${resource}`,
      (counts.get(`${verb}${isDryRun ? ' dry run' : ''} ${resource}`) ?? 0) + 1,
    );
  const writes = calls.filter(
    ({ verb, resource, isDryRun }) => isWrite(verb) && !isDryRun && resource !== 'leases',
  ).length;
  const dryRuns = calls.filter(({ isDryRun }) => isDryRun).length;
  const seen = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([call, times]) => `${call} x${times}`)
    .join(', ');
  return {
    row: 'steady',
    what: `steady state, ${count} applications, ${minutes} minutes`,
    ours: { cpu: measured.cpuSeconds, bytes: measured.peakBytes },
    note: `${writes} writes but Leases, ${dryRuns} dry runs, ${rendered} renders; all requests: ${seen || 'none'}`,
    holds: writes === 0 && dryRuns === 0 && rendered === 0,
  };
}
