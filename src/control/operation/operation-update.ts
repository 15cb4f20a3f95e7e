import { formatTime, instantOf } from '../../model/formats/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  isCompleted,
  readOperation,
  readOperationState,
  type Application,
  type OperationState,
} from '../../model/argo/index.js';
import { writeOperationState } from './operation-state.js';

/** The operation state to write; the same as the current one if nothing has changed. */
export interface OperationUpdate {
  readonly state: JsonObject;
  readonly parsed: OperationState;
}

export function isOperating({ operationState }: Application): boolean {
  return operationState !== undefined && !isCompleted(operationState.phase);
}

/** Ends the operation that is under way or requested with an Error; undefined if there is none. */
export function failOperation(application: Application, message: string, now: Date): OperationUpdate | undefined {
  const { operation, operationState } = application;
  const running = isOperating(application) ? operationState : undefined;
  if (operation === undefined && running === undefined) return undefined;
  const finishedAt = formatTime(instantOf(now.getTime()));
  const state = writeOperationState(application, running?.operation ?? operation ?? readOperation({}, 'operation'), {
    phase: 'Error',
    message,
    startedAt: running?.startedAt ?? finishedAt,
    finishedAt,
    retryCount: running?.retryCount ?? 0,
    revisions: running?.revisions ?? [],
    sources: running?.sources ?? application.sources,
    results: running?.results ?? [],
  });
  return { state, parsed: readOperationState(state) };
}
