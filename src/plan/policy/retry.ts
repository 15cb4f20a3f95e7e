import { isAhead } from '../../model/formats/index.js';
import type { OperationState } from '../../model/argo/index.js';

/** What becomes of an operation whose attempt failed. */
export type RetryDecision =
  /** Stays Running with `finishedAt` and this count and message; tried again at `at`. */
  | { readonly kind: 'retry'; readonly at: Date; readonly retryCount: number; readonly message: string }
  /** Ends with the phase of the attempt and this message. */
  | { readonly kind: 'over'; readonly message: string };

/** How an operation that is under way goes on. */
export type Resumption =
  | { readonly kind: 'continue' }
  /** Takes longer than `controller.sync.timeout.seconds`: its phase becomes Terminating. */
  | { readonly kind: 'terminate'; readonly message: string }
  /** Between two attempts. */
  | { readonly kind: 'wait'; readonly until: Date }
  /** The next attempt: `finishedAt` and `syncResult` go, and with `dropRevisions` those of the request. */
  | { readonly kind: 'attempt'; readonly message: string; readonly dropRevisions: boolean };

const TIMEOUT_MESSAGE = 'operation is terminating due to timeout';
/** Waits that grow without limit end here, so that they are moments of the calendar. */
const MAX_WAIT = 10 * 365 * 86_400_000;

/**
 * After an attempt that ended Failed or Error with `message`; `state` is as it was before. The message shows the wait
 * of the old count, but the next attempt waits for the new one: Argo CD does both, and tools read the message.
 */
export function nextRetry(state: OperationState, message: string, now: Date): RetryDecision {
  const retry = state.operation.retry;
  const limit = retry?.limit ?? 0;
  const isTerminating = state.phase === 'Terminating';
  if (!isTerminating && retry !== undefined && (state.retryCount < limit || limit < 0)) {
    const retryCount = state.retryCount + 1;
    return {
      kind: 'retry',
      at: attemptAt(state, now, retryCount),
      retryCount,
      message:
        `${message}. Retrying attempt #${retryCount} at ` + `${kitchenTime(attemptAt(state, now, state.retryCount))}.`,
    };
  }
  const cause = isTerminating && state.message === TIMEOUT_MESSAGE ? ', triggered by controller sync timeout' : '';
  return {
    kind: 'over',
    message: `${message}${cause}${state.retryCount > 0 ? ` (retried ${state.retryCount} times).` : ''}`,
  };
}

/**
 * What to do with an operation that is Running or Terminating. `timeout` in milliseconds, 0 for none; it counts from
 * the first attempt.
 */
export function resumeOperation(state: OperationState, now: Date, timeout: number): Resumption {
  if (state.phase === 'Terminating') return { kind: 'continue' };
  if (timeout > 0 && now.getTime() > Date.parse(state.startedAt) + timeout)
    return { kind: 'terminate', message: TIMEOUT_MESSAGE };
  if (state.finishedAt === undefined) return { kind: 'continue' };
  const finished = new Date(state.finishedAt);
  const until = attemptAt(state, finished, state.retryCount);
  if (until > now && !isAhead(finished.getTime(), now.getTime())) return { kind: 'wait', until };
  const dropRevisions = state.operation.retry?.refresh ?? false;
  return {
    kind: 'attempt',
    dropRevisions,
    message: `Retrying operation${dropRevisions ? ' with latest revisions' : ''}. Attempt #${state.retryCount}`,
  };
}

function attemptAt({ operation }: OperationState, from: Date, count: number): Date {
  const { duration, factor, maxDuration } = operation.retry ?? { duration: 5000, factor: 2, maxDuration: 180_000 };
  const grown = duration * factor ** count;
  return new Date(from.getTime() + Math.min(maxDuration > 0 ? Math.min(maxDuration, grown) : grown, MAX_WAIT));
}

/** As Go's time.Kitchen: `3:04PM`, in UTC. */
function kitchenTime(date: Date): string {
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()];
  return `${hours % 12 || 12}:${String(minutes).padStart(2, '0')}${hours < 12 ? 'AM' : 'PM'}`;
}
