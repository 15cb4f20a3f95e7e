import { has, items, maybe, number, sub, text, count } from '../../resources/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { millisecondsAt, phaseOf } from '../common/pod-conditions.js';
import { matchFailurePolicy } from './failure-policy.js';
import { parseIndexes } from './indexes.js';
import {
  completionsOf,
  hasFailed,
  isIndexed,
  isSuspended,
  jobCondition,
  specOf,
  statusOf,
  trueCondition,
  type JobState,
} from './job-state.js';

/**
 * The condition that ends the Job, if it is decided: SuccessCriteriaMet, FailureTarget, or Failed where that stands
 * already.
 */
export function decideOutcome(state: JobState): JsonObject | undefined {
  const { job, host } = state;
  const now = host.clock.now();
  const met = trueCondition(job, 'SuccessCriteriaMet');
  if (met) return met;
  const target = trueCondition(job, 'FailureTarget');
  if (target) return jobCondition('Failed', text(target, 'reason'), text(target, 'message'), now);
  const failing = failureOf(state);
  if (failing) return jobCondition('FailureTarget', failing.reason, failing.message, now);
  const rule = isIndexed(job) ? matchedSuccessRule(job, state.succeededIndexes) : undefined;
  return rule === undefined
    ? undefined
    : jobCondition('SuccessCriteriaMet', 'SuccessPolicy', `Matched rules at index ${rule}`, now);
}

interface Failing {
  readonly reason: string;
  readonly message: string;
}

function failureOf(state: JobState): Failing | undefined {
  const { job, pods } = state;
  const byPolicy =
    maybe(job, 'spec.podFailurePolicy') &&
    pods
      .filter((pod) => hasFailed(job, pod))
      .map((pod) => matchFailurePolicy(job, pod).failJob)
      .find((message) => message !== undefined);
  if (byPolicy !== undefined) return { reason: 'PodFailurePolicy', message: byPolicy };
  if (state.failed > count(specOf(job), 'backoffLimit') || restartsTooOften(job, pods)) {
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const left = untilDeadline(state);
  if (left !== undefined && left <= 0)
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  return failedIndexes(state);
}

function failedIndexes({ job, failedIndexes: failed, succeededIndexes }: JobState): Failing | undefined {
  if (!failed || failed.size === 0) return undefined;
  const most = number(specOf(job), 'maxFailedIndexes');
  if (most !== undefined && failed.size > most)
    return {
      reason: 'MaxFailedIndexesExceeded',
      message: 'Job has exceeded the specified maximal number of failed indexes',
    };
  return failed.size + succeededIndexes.size >= (completionsOf(job) ?? 0)
    ? { reason: 'FailedIndexes', message: 'Job has failed indexes' }
    : undefined;
}

/** With restartPolicy OnFailure, restarts of the running pods count against the limit. */
function restartsTooOften(job: KubeObject, pods: readonly KubeObject[]): boolean {
  if (text(sub(job, 'spec.template.spec'), 'restartPolicy') !== 'OnFailure') return false;
  const restarts = pods
    .filter((pod) => ['Running', 'Pending'].includes(phaseOf(pod)))
    .flatMap((pod) => [
      ...items(maybe(pod, 'status'), 'initContainerStatuses'),
      ...items(maybe(pod, 'status'), 'containerStatuses'),
    ])
    .reduce((sum, status) => sum + count(status, 'restartCount'), 0);
  const limit = count(specOf(job), 'backoffLimit');
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Milliseconds until activeDeadlineSeconds have passed; undefined where there is no deadline. */
export function untilDeadline({ job, host }: JobState): number | undefined {
  const seconds = number(specOf(job), 'activeDeadlineSeconds');
  const started = millisecondsAt(statusOf(job), 'startTime');
  if (seconds === undefined || started === undefined || isSuspended(job)) return undefined;
  return started + seconds * 1000 - host.clock.now().getTime();
}

function matchedSuccessRule(job: KubeObject, succeeded: ReadonlySet<number>): number | undefined {
  if (succeeded.size === 0) return undefined;
  const found = items(maybe(job, 'spec.successPolicy'), 'rules').findIndex((rule) => {
    const least = number(rule, 'succeededCount');
    if (!has(rule, 'succeededIndexes')) return least !== undefined && succeeded.size >= least;
    const wanted = parseIndexes(text(rule, 'succeededIndexes'), completionsOf(job) ?? 0);
    const met = [...wanted].filter((index) => succeeded.has(index)).length;
    return wanted.size > 0 && (met === wanted.size || (least !== undefined && met >= least));
  });
  return found < 0 ? undefined : found;
}
