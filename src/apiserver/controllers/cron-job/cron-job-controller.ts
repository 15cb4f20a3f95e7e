import { clone, drop, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { count, ensure, has, items, maybe, number, sub, text } from '../../resources/index.js';
import { timestamp } from '../../rest/index.js';
import {
  controllerOfKind,
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  controllerReference,
  isControlledBy,
  replaceStatus,
} from '../../controller-runtime/index.js';
import { isNamespaceTerminating } from '../common/pod-control.js';
import { millisecondsAt } from '../common/pod-conditions.js';
import { isFinished, trueCondition } from '../job/job-state.js';
import { dueTime, untilNext } from './due-time.js';
import { parseCron, type CronSchedule } from '../../../model/formats/index.js';
import { rfc1123, zonedText } from './time-text.js';
import { JOBS } from '../../../model/resources/index.js';

const CRON_JOBS = { group: 'batch', plural: 'cronjobs' } as const;
const COMPONENT = 'cronjob-controller';
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

interface CronJobState {
  readonly host: ControllerHost;
  /** A copy whose status is ahead of the store until the end of the pass. */
  readonly cronJob: KubeObject;
  readonly jobs: readonly KubeObject[];
  readonly schedule: CronSchedule;
  /** When this schedule replaced another one: earlier times do not count as missed. */
  readonly since: number;
  readonly now: number;
}

/** Starts Jobs on a schedule. */
export const cronJobController: Controller = {
  name: COMPONENT,
  start(host) {
    const schedules = new Map<string, { readonly text: string; readonly since: number }>();
    const sinceFor = (uid: string, schedule: string): number => {
      const known = schedules.get(uid);
      if (known?.text === schedule) return known.since;
      const since = known === undefined ? 0 : host.clock.now().getTime();
      schedules.set(uid, { text: schedule, since });
      return since;
    };
    return reconciler({
      name: COMPONENT,
      watches: [
        { of: CRON_JOBS, keys: ownKey },
        { of: JOBS, keys: controllerOfKind('CronJob') },
      ],
      async reconcile({ namespace, name }) {
        const found = host.client.get(CRON_JOBS, namespace, name);
        return found && reconcile(found, host, sinceFor(found.metadata.uid ?? '', scheduleText(found)));
      },
    }).start(host);
  },
};

function specOf(cronJob: KubeObject): JsonObject {
  return sub(cronJob, 'spec');
}

function scheduleText(cronJob: KubeObject): string {
  return `${text(specOf(cronJob), 'timeZone')} ${text(specOf(cronJob), 'schedule')}`;
}

async function reconcile(found: KubeObject, host: ControllerHost, since: number): Promise<number | undefined> {
  const cronJob = clone(found);
  const jobs = host.client.list(JOBS, found.metadata.namespace).filter((job) => isControlledBy(job, found));
  const schedule = parseCron(text(specOf(found), 'schedule'), {
    descriptors: true,
    timeZone: text(specOf(found), 'timeZone'),
  });
  const state: CronJobState = { host, cronJob, jobs, schedule, since, now: host.clock.now().getTime() };
  await pruneHistory(state);
  followJobs(state);
  try {
    if (found.metadata.deletionTimestamp !== undefined || own(specOf(found), 'suspend') === true) return undefined;
    await startDue(state);
    return untilNext(cronJob, schedule, since, state.now);
  } finally {
    await save(state, found);
  }
}

function recordEvent(
  { host, cronJob }: CronJobState,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  host.client.event(cronJob, type, reason, message, COMPONENT);
}

function activeOf({ cronJob }: CronJobState): JsonObject[] {
  return items(maybe(cronJob, 'status'), 'active');
}

function setActive({ cronJob }: CronJobState, active: readonly JsonObject[]): void {
  const status = ensure(cronJob, 'status');
  if (active.length > 0) put(status, 'active', [...active]);
  else drop(status, 'active');
}

function forget(state: CronJobState, uid: string): void {
  setActive(
    state,
    activeOf(state).filter((reference) => text(reference, 'uid') !== uid),
  );
}

/** Takes ended and vanished Jobs off the list of active ones. */
function followJobs(state: CronJobState): void {
  const { cronJob, jobs, host } = state;
  const status = ensure(cronJob, 'status');
  for (const job of jobs) {
    const { name = '', uid = '' } = job.metadata;
    const listed = activeOf(state).some((reference) => text(reference, 'uid') === uid);
    if (!isFinished(job)) {
      if (!listed)
        recordEvent(
          state,
          'Warning',
          'UnexpectedJob',
          `Saw a job that the controller did not create or forgot: ${name}`,
        );
      continue;
    }
    if (listed) {
      forget(state, uid);
      recordEvent(
        state,
        'Normal',
        'SawCompletedJob',
        `Saw completed job: ${name}, condition: ${trueCondition(job, 'Complete') ? 'Complete' : 'Failed'}`,
      );
    }
    const completed = trueCondition(job, 'Complete')
      ? millisecondsAt(maybe(job, 'status'), 'completionTime')
      : undefined;
    if (completed !== undefined && completed > (millisecondsAt(status, 'lastSuccessfulTime') ?? 0))
      put(status, 'lastSuccessfulTime', timestamp(new Date(completed)));
  }
  const known = new Set(jobs.map((job) => job.metadata.uid));
  for (const reference of activeOf(state)) {
    if (
      known.has(text(reference, 'uid')) ||
      host.client.get(JOBS, text(reference, 'namespace'), text(reference, 'name'))
    )
      continue;
    recordEvent(state, 'Normal', 'MissingJob', `Active job went missing: ${text(reference, 'name')}`);
    forget(state, text(reference, 'uid'));
  }
}

async function startDue(state: CronJobState): Promise<void> {
  const { cronJob, schedule, since, now } = state;
  const spec = specOf(cronJob);
  if (text(spec, 'schedule').includes('TZ')) {
    recordEvent(
      state,
      'Warning',
      'UnsupportedSchedule',
      `CRON_TZ or TZ used in schedule ${JSON.stringify(text(spec, 'schedule'))} is not officially ` +
        'supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    );
  }
  const { latest, missed } = dueTime(cronJob, schedule, since, now, true);
  if (latest === undefined) return;
  if (missed === 'many')
    recordEvent(
      state,
      'Warning',
      'TooManyMissedTimes',
      'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    );
  const deadline = number(spec, 'startingDeadlineSeconds');
  if (deadline !== undefined && latest + deadline * 1000 < now)
    return recordEvent(state, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(latest)}`);
  const name = jobName(cronJob, latest);
  if (
    activeOf(state).some((reference) => text(reference, 'name') === name) ||
    millisecondsAt(maybe(cronJob, 'status'), 'lastScheduleTime') === latest
  )
    return undefined;
  if (text(spec, 'concurrencyPolicy') === 'Forbid' && activeOf(state).length > 0) {
    return recordEvent(
      state,
      'Normal',
      'JobAlreadyActive',
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    );
  }
  if (text(spec, 'concurrencyPolicy') === 'Replace') await removeActive(state);
  await startJob(state, latest);
}

async function removeActive(state: CronJobState): Promise<void> {
  for (const reference of activeOf(state)) {
    const job = state.host.client.get(JOBS, text(reference, 'namespace'), text(reference, 'name'));
    if (job) await removeJob(state, job);
  }
}

function jobName(cronJob: KubeObject, at: number): string {
  return `${cronJob.metadata.name ?? ''}-${Math.floor(at / 60_000)}`;
}

async function startJob(state: CronJobState, at: number): Promise<void> {
  const { host, cronJob } = state;
  const job = await createJob(state, at);
  if (!job || activeOf(state).some((reference) => text(reference, 'uid') === job.metadata.uid)) return;
  const { namespace = '', name = '', uid, resourceVersion } = job.metadata;
  setActive(state, [
    ...activeOf(state),
    { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion },
  ]);
  put(ensure(cronJob, 'status'), 'lastScheduleTime', timestamp(new Date(at)));
  // Saved at once: after a crash before the end of the reconcile this Job must not count as unexpected.
  await save(state, host.client.get(CRON_JOBS, namespace, cronJob.metadata.name ?? ''));
}

async function createJob(state: CronJobState, at: number): Promise<KubeObject | undefined> {
  const { host, cronJob } = state;
  const template = sub(cronJob, 'spec.jobTemplate');
  const { namespace = '' } = cronJob.metadata;
  const name = jobName(cronJob, at);
  const annotations = {
    ...clone(sub(template, 'metadata.annotations')),
    [SCHEDULED_AT]: zonedText(at, text(specOf(cronJob), 'timeZone') || 'UTC'),
  } as Record<string, string>;
  const labels = clone(sub(template, 'metadata.labels')) as Record<string, string>;
  try {
    const job = await host.client.create(JOBS, {
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: {
        name,
        namespace,
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
        annotations,
        ownerReferences: [controllerReference(cronJob)],
      },
      spec: clone(sub(template, 'spec')),
    });
    recordEvent(state, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
    return job;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const existing = error.reason === 'AlreadyExists' ? host.client.get(JOBS, namespace, name) : undefined;
    if (existing) return isControlledBy(existing, cronJob) ? existing : undefined;
    if (!isNamespaceTerminating(error))
      recordEvent(state, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`);
    throw error;
  }
}

/** Keeps the last few ended Jobs of each outcome. */
async function pruneHistory(state: CronJobState): Promise<void> {
  const spec = specOf(state.cronJob);
  const started = (job: KubeObject): number => millisecondsAt(maybe(job, 'status'), 'startTime') ?? Infinity;
  for (const [outcome, field] of [
    ['Complete', 'successfulJobsHistoryLimit'],
    ['Failed', 'failedJobsHistoryLimit'],
  ] as const) {
    if (!has(spec, field)) continue;
    const ended = state.jobs
      .filter((job) => trueCondition(job, outcome) && job.metadata.deletionTimestamp === undefined)
      .sort((a, b) => started(a) - started(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    for (const job of ended.slice(0, Math.max(0, ended.length - count(spec, field)))) await removeJob(state, job);
  }
}

async function removeJob(state: CronJobState, job: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid = '' } = job.metadata;
  try {
    await state.host.client.remove(JOBS, namespace, name, { propagation: 'Background' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return recordEvent(state, 'Warning', 'FailedDelete', `Deleted job: ${error.message}`);
  }
  forget(state, uid);
  recordEvent(state, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
}

async function save({ host, cronJob }: CronJobState, known: KubeObject | undefined): Promise<void> {
  if (equal(cronJob['status'], known?.['status'])) return;
  await replaceStatus(host.client, CRON_JOBS, cronJob, clone(cronJob['status']));
}
