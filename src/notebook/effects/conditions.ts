import { type JsonObject, equal, objectsAt, textAt } from '../../model/json/index.js';
import { type JobStatus, type NotebookJob, isSimulated, timeText } from '../job/index.js';
import { triggerError } from './triggers.js';
import { blockWave } from './waves.js';

interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** All conditions of a status, for `kubectl wait`; the time of one moves only with its status. */
export function withConditions(job: NotebookJob, status: JobStatus, now: number, ending?: string): JobStatus {
  const before = objectsAt(status, 'conditions');
  const conditions = wantedConditions(job, status, ending ?? failureReasonOf(before)).map((wanted): JsonObject => {
    const old = before.find((each) => textAt(each, 'type') === wanted.type);
    const since = old !== undefined && textAt(old, 'status') === wanted.status ? textAt(old, 'lastTransitionTime') : '';
    const next: JsonObject = {
      ...wanted,
      lastTransitionTime: since || timeText(now),
      observedGeneration: job.generation,
    };
    return old !== undefined && equal(old, next) ? old : next;
  });
  return { ...status, conditions };
}

/** The reason of a failure is stored nowhere else. */
function failureReasonOf(before: readonly JsonObject[]): string {
  const failed = before.find((each) => textAt(each, 'type') === 'Failed' && textAt(each, 'status') === 'True');
  return textAt(failed, 'reason') || 'Failed';
}

function wantedConditions(job: NotebookJob, status: JobStatus, ending: string): WantedCondition[] {
  const { phase = '', message = '' } = status;
  const succeeded = phase === 'Succeeded';
  const failed = phase === 'Failed';
  const running = isSimulated(status) ? 'Simulated' : phase;
  const reason = byPhase(phase, { succeeded: 'Succeeded', failed: ending, running });
  const truth = (holds: boolean): 'True' | 'False' => (holds ? 'True' : 'False');
  return [
    { type: 'Ready', status: truth(succeeded), reason, message },
    { type: 'Progressing', status: truth(!succeeded && !failed), reason, message },
    ...(job.build === undefined ? [] : [buildReady(status)]),
    { type: 'ValidationReady', status: truth(succeeded), reason: succeeded ? 'ValidationComplete' : reason, message },
    {
      type: 'ValidationComplete',
      status: byPhase(phase, { succeeded: 'True', failed: 'False', running: 'Unknown' }),
      reason: byPhase(phase, {
        succeeded: isSimulated(status) ? 'Simulated' : 'ValidationComplete',
        failed: ending,
        running: running === 'ValidationRunning' ? 'PodRunning' : running,
      }),
      message,
    },
    { type: 'Available', status: truth(succeeded), reason, message },
    { type: 'Failed', status: truth(failed), reason, message },
    ...imageAllowed(job),
    ...triggersValid(job),
    ...waveConditions(job, status),
  ];
}

/** One of three values, by how a run ended. */
function byPhase<const Value>(
  phase: string,
  { succeeded, failed, running }: { succeeded: Value; failed: Value; running: Value },
): Value {
  if (phase === 'Succeeded') return succeeded;
  return phase === 'Failed' ? failed : running;
}

function buildReady({ buildStatus, phase = '' }: JobStatus): WantedCondition {
  const isBuilt = textAt(buildStatus, 'imageReference') !== '';
  const unbuilt = phase === 'Failed' ? 'False' : 'Unknown';
  return {
    type: 'BuildReady',
    status: isBuilt ? 'True' : unbuilt,
    reason: isBuilt ? 'BuildComplete' : textAt(buildStatus, 'phase') || 'Pending',
    message: textAt(buildStatus, 'message'),
  };
}

/** Where the administrator allows one image. */
function imageAllowed({ imageDecision }: NotebookJob): WantedCondition[] {
  if (imageDecision === undefined) return [];
  const { kind, requested, allowed } = imageDecision;
  switch (kind) {
    case 'same':
      return [{ type: 'ImageAllowed', status: 'True', reason: 'ImageAllowed', message: '' }];
    case 'set':
      return [
        {
          type: 'ImageAllowed',
          status: 'True',
          reason: 'ImageSet',
          message: `runs in ${allowed} instead of ${requested} (argosy.notebooks.image)`,
        },
      ];
    case 'other':
      return [
        {
          type: 'ImageAllowed',
          status: 'False',
          reason: 'OtherImage',
          message:
            `the job uses ${requested}, but notebooks are validated in ${allowed} (argosy.notebooks.image): set ` +
            'that image in spec.podConfig.containerImage',
        },
      ];
    default:
      return kind satisfies never;
  }
}

/** Reported at the start, not after half an hour of training. */
function triggersValid(job: NotebookJob): WantedCondition[] {
  const error = triggerError(job);
  if (error === undefined) return [];
  return [
    error === ''
      ? { type: 'TriggersValid', status: 'True', reason: 'Valid', message: '' }
      : { type: 'TriggersValid', status: 'False', reason: 'InvalidTriggers', message: error },
  ];
}

function waveConditions(job: NotebookJob, { phase }: JobStatus): WantedCondition[] {
  const block = blockWave(job);
  if (block === undefined) return [];
  if (block.kind === 'invalid')
    return [{ type: 'WaveBlocked', status: 'False', reason: 'InvalidBlockWave', message: block.message }];
  const later = `wave ${block.wave} and later ones`;
  return [
    {
      type: 'WaveBlocked',
      ...byPhase(phase ?? '', {
        succeeded: { status: 'False', reason: 'Succeeded', message: `wave ${block.wave} may start` },
        failed: { status: 'True', reason: 'Failed', message: `${later} do not start: the notebook failed` },
        running: { status: 'True', reason: 'Waiting', message: `${later} wait for this notebook` },
      } as const),
    },
  ];
}

export function conditionText(status: JobStatus, type: string): { readonly reason: string; readonly message: string } {
  const found = objectsAt(status, 'conditions').find((each) => textAt(each, 'type') === type);
  return { reason: textAt(found, 'reason'), message: textAt(found, 'message') };
}
