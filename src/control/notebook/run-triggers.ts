import { ClusterError } from '../../cluster/index.js';
import { statusOf, timeOf, timeText, triggerDue, type NotebookJob, type TriggerState } from '../../notebook/index.js';
import type { JobContext } from './job-context.js';
import { storeStatus } from './store-status.js';
import { resolveTrigger, fireTrigger, isOutcome, type TriggerOutcome, type TriggerContext } from './trigger-runner.js';

const BUSY_RETRY_DELAY = 5000;
/** A target that is busy so long will not be free for us. */
const BUSY_TIMEOUT = 30 * 60_000;

/**
 * The triggers of a succeeded run, one by one: the intent is stored, then the action is taken, then its result is
 * stored. Returns the time of the next attempt, or `again` if the job was just stored.
 */
export async function runTriggers(job: NotebookJob, context: JobContext): Promise<number | 'again' | undefined> {
  const status = statusOf(job.object);
  const { triggers = [], completionTime = '', phase } = status;
  if (phase !== 'Succeeded' || triggers.length === 0) return undefined;
  const { options, kinds } = context.dependencies;
  const now = options.world.clock.now().getTime();
  const due = triggers.map((trigger) => triggerDue(trigger, now));
  const index = due.findIndex((at) => at !== undefined && at <= now);
  const trigger = triggers[index];
  if (trigger === undefined) {
    const later = due.filter((at) => at !== undefined);
    return later.length === 0 ? undefined : Math.min(...later);
  }
  const world: TriggerContext = {
    cluster: options.cluster,
    kinds,
    applicationNamespaces: [...new Set([options.namespace, 'argocd', 'openshift-gitops'])],
    allowedNamespaces: options.settings.triggerNamespaces,
  };
  const outcome =
    trigger.state === 'Running'
      ? await fireTrigger(job, index, trigger, completionTime, world)
      : await startTrigger(job, trigger, world);
  if ('begun' in outcome) {
    await saveTrigger(job, index, { ...outcome.begun, time: timeText(now) }, context);
    return 'again';
  }
  const result: TriggerOutcome =
    outcome.kind === 'later' && now - (timeOf(completionTime) ?? now) > BUSY_TIMEOUT
      ? { kind: 'done', state: 'Failed', message: outcome.message }
      : outcome;
  if (result.kind === 'later') return now + BUSY_RETRY_DELAY;
  if (result.state !== 'Skipped') context.metrics.triggered(trigger.action, result.state === 'Succeeded');
  const attempts = trigger.state === 'Running' ? trigger.attempts : trigger.attempts + 1;
  await saveTrigger(
    job,
    index,
    { ...trigger, attempts, state: result.state, message: result.message, time: timeText(now) },
    context,
  );
  return 'again';
}

async function startTrigger(
  job: NotebookJob,
  trigger: TriggerState,
  world: TriggerContext,
): Promise<{ readonly begun: TriggerState } | TriggerOutcome> {
  try {
    const aimed = await resolveTrigger(job, trigger, world);
    if (isOutcome(aimed)) return aimed;
    // Pods that came after the first attempt are new already.
    return {
      begun: {
        ...trigger,
        state: 'Running',
        attempts: trigger.attempts + 1,
        namespace: aimed.namespace,
        targets: trigger.targets ?? [...aimed.targets],
      },
    };
  } catch (error) {
    if (!(error instanceof ClusterError) || error.retry) throw error;
    return { kind: 'done', state: 'Failed', message: error.message };
  }
}

async function saveTrigger(job: NotebookJob, index: number, trigger: TriggerState, context: JobContext): Promise<void> {
  const status = statusOf(job.object);
  await storeStatus(
    job,
    { ...status, triggers: (status.triggers ?? []).map((each, at) => (at === index ? trigger : each)) },
    context,
  );
}
