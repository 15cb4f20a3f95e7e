import { type JobStatus, type NotebookJob, digest, isSimulated, timeOf } from '../job/index.js';
import { textAt } from '../../model/json/index.js';
import { conditionText } from './conditions.js';
import { triggerText } from './triggers.js';

/** An Event to record. Its name is deterministic, so that it is recorded once. */
export interface JobEvent {
  readonly name: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A restarted controller does not record old events again. */
const MAX_EVENT_AGE = 10 * 60_000;
const MAX_MESSAGE_LENGTH = 1000;

/** All due events of a job. */
export function eventsOf(job: NotebookJob, status: JobStatus, now: number): JobEvent[] {
  const { runId = '', retryCount = 0, lastRetryTime, completionTime, startTime, triggers = [], buildStatus } = status;
  const isNews = (time: string | undefined): boolean => now - (timeOf(time) ?? 0) < MAX_EVENT_AGE;
  const notice = (
    type: JobEvent['type'],
    reason: string,
    message: string,
    ...about: (string | number)[]
  ): JobEvent => ({
    name: eventName(job, runId, reason, ...about),
    type,
    reason,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
  });
  if (runId === '') return [];
  return [
    ...warningsOf(status, isNews).map(([reason, message]) => notice('Warning', reason, message)),
    ...(buildStatus !== undefined && isNews(buildStatus.startTime)
      ? [notice('Normal', 'BuildStarted', `Build ${buildStatus.buildName} is building the image for this run`)]
      : []),
    ...(status.validationPodUid !== undefined && isNews(lastRetryTime ?? startTime)
      ? [notice('Normal', 'PodCreated', `Created pod ${status.validationPodName ?? ''}`, retryCount)]
      : []),
    ...(retryCount > 0 && isNews(lastRetryTime) && status.validationPodUid === undefined && completionTime === undefined
      ? [notice('Warning', 'Retrying', status.message ?? '', retryCount)]
      : []),
    ...(isNews(completionTime) ? [completionEvent(job, status)] : []),
    ...modelEvents(status, isNews).map(([type, reason, message]) => notice(type, reason, message)),
    ...triggers.flatMap((trigger, index) =>
      isNews(trigger.time)
        ? triggerEvents(trigger.state).map(([type, reason]) =>
            notice(type, reason, `${triggerText(trigger)}: ${trigger.message ?? ''}`, index, trigger.attempts),
          )
        : [],
    ),
  ];
}

function triggerEvents(state: string): (readonly [JobEvent['type'], string])[] {
  if (state === 'Succeeded') return [['Normal', 'TriggerSuccess']];
  return state === 'Failed' ? [['Warning', 'TriggerFailed']] : [];
}

function modelEvents(
  { modelValidationResult: result }: JobStatus,
  isNews: (time: string | undefined) => boolean,
): (readonly [JobEvent['type'], string, string])[] {
  if (result === undefined || !isNews(textAt(result, 'completionTime'))) return [];
  return [
    result.success === true
      ? ['Normal', 'ModelsValidated', 'The models are ready and respond as expected']
      : ['Warning', 'ModelsNotValidated', textAt(result, 'message')],
  ];
}

function warningsOf(status: JobStatus, isNews: (time: string | undefined) => boolean): (readonly [string, string])[] {
  const invalid = (['TriggersValid', 'WaveBlocked'] as const).flatMap((type) => {
    const { reason, message } = conditionText(status, type);
    return reason.startsWith('Invalid') && isNews(status.startTime) ? [[reason, message] as const] : [];
  });
  return status.phase === 'Pending' && isSimulated(status) && isNews(status.attemptStartTime)
    ? [...invalid, ['NotExecuted', status.message ?? '']]
    : invalid;
}

/** One for a run that succeeded, one for a run that failed, with the labels and lines that the original has. */
function completionEvent(
  job: NotebookJob,
  { phase, message = '', runId = '', completionTime = '', retryCount = 0 }: JobStatus,
): JobEvent {
  const succeeded = phase === 'Succeeded';
  const { annotations = {}, labels = {} } = job.object.metadata;
  const wave = annotations['argocd.argoproj.io/sync-wave'];
  const application = labels['app.kubernetes.io/part-of'];
  const text = [
    `Notebook validation ${succeeded ? 'succeeded' : 'failed'}: ${job.name}`,
    `Message: ${message}`,
    ...(wave === undefined ? [] : [`Sync Wave: ${wave}`]),
    ...(application === undefined ? [] : [`Application: ${application}`]),
    ...(retryCount === 0 ? [] : [`Retries: ${retryCount}/${job.maxRetries}`]),
    `Timestamp: ${completionTime}`,
    `Namespace: ${job.namespace}`,
  ];
  return {
    name: eventName(job, runId, phase ?? ''),
    type: succeeded ? 'Normal' : 'Warning',
    reason: succeeded ? 'ValidationSucceeded' : 'ValidationFailed',
    message: text.join('\n').slice(0, MAX_MESSAGE_LENGTH),
    labels: {
      'mlops.dev/notification-type': succeeded ? 'validation-success' : 'validation-failure',
      ...(application === undefined ? {} : { 'app.kubernetes.io/part-of': application }),
    },
  };
}

function eventName(job: NotebookJob, ...about: readonly (string | number)[]): string {
  return `${job.name.slice(0, 200)}.${digest(job.uid, ...about).slice(0, 16)}`;
}
