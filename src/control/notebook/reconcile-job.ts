import type { JsonObject } from '../../model/json/index.js';
import {
  isOver,
  planJob,
  eventsOf,
  podName,
  readJob,
  runnerName,
  statusOf,
  waveAnnotations,
  type JobFacts,
  type JobStatus,
  type NotebookJob,
} from '../../notebook/index.js';
import { runActions } from './run-actions.js';
import { reconcileModels } from './reconcile-models.js';
import type { JobContext } from './job-context.js';
import { readReferences } from './read-references.js';
import { runTriggers } from './run-triggers.js';
import { storeStatus } from './store-status.js';
import { NOTEBOOK_VALIDATION_JOBS, PODS } from '../../model/resources/index.js';

/** A step leads to the next at once; a job that never settles is requeued. */
const MAX_ROUNDS = 12;
const REQUEUE_DELAY = 200;

/** One reconcile of a job: stores the status, then acts. Returns the milliseconds until the next one. */
export async function reconcileJob(key: string, context: JobContext): Promise<number | undefined> {
  try {
    return await reconcileUntilStable(key, context);
  } finally {
    // A place that was kept for nothing is another's.
    if (context.releaseSlot(key)) context.wakeNext();
  }
}

async function reconcileUntilStable(key: string, context: JobContext): Promise<number | undefined> {
  const { jobs, options } = context.dependencies;
  const [namespace = '', name = ''] = key.split('/');
  for (let turn = 0; turn < MAX_ROUNDS; turn++) {
    const object = jobs.get(namespace, name);
    if (object === undefined) return undefined;
    if (object.metadata.deletionTimestamp !== undefined) {
      context.forget(object);
      return undefined;
    }
    const job = readJob(object, options.image?.());
    if (await writeWaveMarks(job, context)) continue;
    const { commit, waits } = context.dependencies.commits.commitOf(key, job);
    // Its answer reconciles the job again.
    if (waits) return undefined;
    const facts = { ...(await factsOf(key, job, context)), ...(commit === undefined ? {} : { commit }) };
    const step = planJob(job, facts);
    if (step.status !== statusOf(object)) {
      await storeJobStatus(job, step.status, facts, context);
      continue;
    }
    context.dependencies.events.record(object, eventsOf(job, step.status, facts.now));
    const hasChanged = await runActions(key, job, step.actions, context);
    if (hasChanged) continue;
    if (isOver(step.status)) context.stopReading(facts.pods);
    const due = await runTriggers(job, context);
    if (due === 'again') continue;
    const models = due === undefined ? await reconcileModels(key, job, context) : undefined;
    if (models === 'again') continue;
    const next = earliest([step.requeueAt, due, models, context.dependencies.commits.nextLook(job)]);
    return next === Infinity ? undefined : Math.max(REQUEUE_DELAY, next - options.world.clock.now().getTime());
  }
  return REQUEUE_DELAY;
}

function earliest(times: readonly (number | undefined)[]): number {
  return Math.min(...times.map((time) => time ?? Infinity));
}

async function factsOf(key: string, job: NotebookJob, context: JobContext): Promise<JobFacts> {
  const { options, pods } = context.dependencies;
  const status = statusOf(job.object);
  await confirmPodLoss(job, status, context);
  const owned = pods.ownedBy(job.uid);
  const pod = owned.find(
    ({ metadata }) => metadata.name === podName(job, status.runId ?? '', (status.retryCount ?? 0) + 1),
  );
  const reader = pod === undefined || isOver(status) ? undefined : context.reader(key, pod);
  const builds = job.build === undefined ? undefined : await context.builds();
  const rejection = context.podRejection(job.uid);
  return {
    now: options.world.clock.now().getTime(),
    pods: owned,
    nonce: options.nonce(),
    runner: runnerName(job, context.runnerVersion),
    gitImage: options.settings.gitImage,
    passesSimulated: options.passesSimulated?.() ?? false,
    references: status.phase === 'Initializing' ? await readReferences(options.cluster, job) : new Map(),
    mayStart: pod !== undefined || status.phase !== 'ValidationRunning' || context.acquireSlot(key),
    ...(reader === undefined ? {} : { report: reader.report, log: reader.state }),
    ...(builds === undefined ? {} : { builds: builds.list({ namespace: job.namespace }) }),
    ...(rejection === undefined ? {} : { rejection: rejection }),
  };
}

/** A pod that is not in the cache may be deleted or new: only the server can confirm that an attempt lost its pod. */
async function confirmPodLoss(
  job: NotebookJob,
  { phase, validationPodName: name, validationPodUid: uid }: JobStatus,
  {
    dependencies: {
      options: { cluster },
      pods,
    },
  }: JobContext,
): Promise<void> {
  if (
    phase !== 'ValidationRunning' ||
    name === undefined ||
    uid === undefined ||
    pods.get(job.namespace, name) !== undefined
  )
    return;
  const found = await cluster.get(PODS, { namespace: job.namespace, name });
  if (found !== undefined) pods.recordWrite(found);
}

async function storeJobStatus(
  job: NotebookJob,
  status: JobStatus,
  { pods }: JobFacts,
  context: JobContext,
): Promise<void> {
  const before = statusOf(job.object);
  await storeStatus(job, status, context);
  if (before.runId !== status.runId) context.setPodRejection(job.uid, undefined);
  if (isOver(status) && (!isOver(before) || before.runId !== status.runId))
    context.metrics.ended(
      job.object,
      status,
      pods.find(({ metadata }) => metadata.name === status.validationPodName),
    );
}

/** Wave annotations follow the phase. Returns whether anything was written. */
async function writeWaveMarks(job: NotebookJob, context: JobContext): Promise<boolean> {
  const marks = waveAnnotations(job, statusOf(job.object));
  if (marks === undefined || statusOf(job.object).runId === undefined) return false;
  const {
    options: { cluster },
    jobs,
  } = context.dependencies;
  const { resourceVersion = '' } = job.object.metadata;
  const annotations: JsonObject = { ...marks };
  jobs.recordWrite(
    await cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: job.namespace, name: job.name },
      { type: 'merge', body: { metadata: { resourceVersion, annotations } } },
    ),
  );
  return true;
}
