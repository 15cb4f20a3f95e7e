import type { JsonObject } from '../../model/index.js';
import {
  isOver,
  nextStep,
  noticesOf,
  podName,
  readJob,
  runnerName,
  statusOf,
  waveMarks,
  type JobFacts,
  type JobStatus,
  type NotebookJob,
} from '../../notebook/index.js';
import { act } from './act.js';
import { lookAtModels } from './check-models.js';
import type { JobDesk } from './job-desk.js';
import { readReferences } from './job-facts.js';
import { JOBS, PODS } from './kinds.js';
import { runTriggers } from './run-triggers.js';
import { storeStatus } from './store-status.js';

/** A step leads to the next at once; a job that never comes to rest is looked at again later. */
const MOST_TURNS = 12;
const SOON = 200;

/**
 * One look at a job: stores what must be stored, does what must be done. Gives the milliseconds until the next look.
 */
export async function reconcileJob(key: string, desk: JobDesk): Promise<number | undefined> {
  try {
    return await takeSteps(key, desk);
  } finally {
    // A place that was kept for nothing is another's.
    if (desk.leave(key)) desk.wakeWaiting();
  }
}

async function takeSteps(key: string, desk: JobDesk): Promise<number | undefined> {
  const { jobs, options } = desk.parts;
  const [namespace = '', name = ''] = key.split('/');
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const object = jobs.get(namespace, name);
    if (object === undefined) return undefined;
    if (object.metadata.deletionTimestamp !== undefined) {
      desk.forget(object);
      return undefined;
    }
    const job = readJob(object, options.image?.());
    if (await mark(job, desk)) continue;
    const facts = await factsOf(key, job, desk);
    const step = nextStep(job, facts);
    if (step.status !== statusOf(object)) {
      await store(job, step.status, facts, desk);
      continue;
    }
    desk.parts.events.tell(object, noticesOf(job, step.status, facts.now));
    const hasChanged = await act(key, job, step.actions, desk);
    if (hasChanged) continue;
    if (isOver(step.status)) desk.stopReading(facts.pods);
    const due = await runTriggers(job, desk);
    if (due === 'again') continue;
    const models = due === undefined ? await lookAtModels(key, job, desk) : undefined;
    if (models === 'again') continue;
    const next = Math.min(step.at ?? Infinity, due ?? Infinity, models ?? Infinity);
    return next === Infinity ? undefined : Math.max(SOON, next - options.world.clock.now().getTime());
  }
  return SOON;
}

async function factsOf(key: string, job: NotebookJob, desk: JobDesk): Promise<JobFacts> {
  const { options, pods } = desk.parts;
  const status = statusOf(job.object);
  await confirmLoss(job, status, desk);
  const owned = pods.ownedBy(job.uid);
  const pod = owned.find(
    ({ metadata }) => metadata.name === podName(job, status.runId ?? '', (status.retryCount ?? 0) + 1),
  );
  const reader = pod === undefined || isOver(status) ? undefined : desk.reader(key, pod);
  const builds = job.build === undefined ? undefined : await desk.builds();
  const refusal = desk.refusal(job.uid);
  return {
    now: options.world.clock.now().getTime(),
    pods: owned,
    nonce: options.nonce(),
    runner: runnerName(job, desk.runnerVersion),
    gitImage: options.settings.gitImage,
    references: status.phase === 'Initializing' ? await readReferences(options.cluster, job) : new Map(),
    mayStart: pod !== undefined || status.phase !== 'ValidationRunning' || desk.mayStart(key),
    ...(reader === undefined ? {} : { report: reader.report, log: reader.state }),
    ...(builds === undefined ? {} : { builds: builds.list({ namespace: job.namespace }) }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** A pod that is not known may be gone, or news: only the server can say that an attempt has lost its pod. */
async function confirmLoss(
  job: NotebookJob,
  { phase, validationPodName: name, validationPodUid: uid }: JobStatus,
  {
    parts: {
      options: { cluster },
      pods,
    },
  }: JobDesk,
): Promise<void> {
  if (
    phase !== 'ValidationRunning' ||
    name === undefined ||
    uid === undefined ||
    pods.get(job.namespace, name) !== undefined
  )
    return;
  const found = await cluster.get(PODS, { namespace: job.namespace, name });
  if (found !== undefined) pods.learn(found);
}

async function store(job: NotebookJob, status: JobStatus, { pods }: JobFacts, desk: JobDesk): Promise<void> {
  const before = statusOf(job.object);
  await storeStatus(job, status, desk);
  if (before.runId !== status.runId) desk.refuse(job.uid, undefined);
  if (isOver(status) && (!isOver(before) || before.runId !== status.runId))
    desk.metrics.ended(
      job.object,
      status,
      pods.find(({ metadata }) => metadata.name === status.validationPodName),
    );
}

/** The marks of waves follow the phase, whoever changed either. Whether there was something to do. */
async function mark(job: NotebookJob, desk: JobDesk): Promise<boolean> {
  const marks = waveMarks(job, statusOf(job.object));
  if (marks === undefined || statusOf(job.object).runId === undefined) return false;
  const {
    options: { cluster },
    jobs,
  } = desk.parts;
  const { resourceVersion = '' } = job.object.metadata;
  const annotations: JsonObject = { ...marks };
  jobs.learn(
    await cluster.patch(
      JOBS,
      { namespace: job.namespace, name: job.name },
      { type: 'merge', body: { metadata: { resourceVersion, annotations } } },
    ),
  );
  return true;
}
