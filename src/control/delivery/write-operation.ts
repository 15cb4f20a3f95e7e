import { createMergePatch } from '../../model/patch/index.js';
import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import {
  readOperation,
  readOperationState,
  type Operation,
  type OperationPhase,
  type OperationState,
  type ResourceResult,
} from '../../model/argo/index.js';
import type { AuditDetail } from '../telemetry/index.js';
import { writeOperationState, type RunningOperation } from '../operation/index.js';
import type { Reconciliation } from './reconciliation.js';
import { revisionsOf, type RenderedTargets } from './render-targets.js';
import { writeApplication, type ApplicationChange } from './write-application.js';

/** Writes that an operation begins: from here on it continues after a restart. */
export async function startOperation(
  reconciliation: Reconciliation,
  operation: Operation,
  targets: RenderedTargets,
  sources: readonly JsonObject[],
): Promise<Reconciliation> {
  const { application, context } = reconciliation;
  const revisions = revisionsOf(targets);
  const state = writeOperationState(application, operation, {
    phase: 'Running',
    message: 'waiting to start',
    startedAt: startTime(reconciliation),
    retryCount: 0,
    revisions,
    sources,
    results: [],
  });
  const written = await writeOperation(reconciliation, {
    operation: replacementPatch(application.object.operation, operation.raw),
    status: { operationState: replacementPatch(application.operationState?.raw, state) },
  });
  context.events.record(
    application.object,
    'OperationStarted',
    operation.isAutomated
      ? `Initiated automated sync to '${revisions.join(', ')}'`
      : `${operation.username === '' ? 'an unknown user' : operation.username} initiated sync to ` +
          `'${revisions.join(', ')}'`,
    'Normal',
    auditOf(operation, revisions, 'started'),
  );
  return written;
}

/** Who asked for a sync, and what of. */
export function auditOf(
  { isAutomated, username, sync: { dryRun } }: Operation,
  revisions: readonly string[],
  result: string,
): AuditDetail {
  return {
    ...(isAutomated || username === '' ? {} : { user: username }),
    automated: isAutomated,
    revision: revisions.join(','),
    result,
    ...(dryRun ? { message: 'dry run' } : {}),
  };
}

/** Start times have seconds and are part of the identity: a second operation in the same second gets the next one. */
function startTime({ application, context }: Reconciliation): string {
  const now = Math.floor(context.clock.now().getTime() / 1000) * 1000;
  const before = Date.parse(application.operationState?.startedAt ?? '');
  return formatTime(instantOf(before >= now ? before + 1000 : now));
}

/** Writes the state of the next attempt: it starts without results. */
export function retryOperation(
  reconciliation: Reconciliation,
  message: string,
  revisions: readonly string[],
): Promise<Reconciliation> {
  const { startedAt, retryCount, sources, operation } = operationStateOf(reconciliation);
  return writeOperationStatus(
    reconciliation,
    writeOperationState(reconciliation.application, operation, {
      phase: 'Running',
      message,
      startedAt,
      retryCount,
      revisions,
      sources,
      results: [],
    }),
  );
}

/** Asks the operation to end: running hooks are deleted, everything else stays. */
export function terminateOperation(
  reconciliation: Reconciliation,
  message: string,
  running: RunningOperation | undefined,
): Promise<Reconciliation> {
  const { results } = operationStateOf(reconciliation);
  return writeOperationStatus(
    reconciliation,
    nextOperationState(reconciliation, running, { phase: 'Terminating', message, results }),
  );
}

export function writeOperationStatus(reconciliation: Reconciliation, state: JsonObject): Promise<Reconciliation> {
  return writeOperation(reconciliation, {
    status: { operationState: replacementPatch(operationStateOf(reconciliation).raw, state) },
  });
}

/** A merge patch that replaces the old value: nothing of an earlier operation may remain in a later one. */
function replacementPatch(before: Json | undefined, now: JsonObject): JsonObject {
  const patch = createMergePatch(isObject(before) ? before : {}, now);
  return isObject(patch) ? patch : {};
}

async function writeOperation(reconciliation: Reconciliation, change: ApplicationChange): Promise<Reconciliation> {
  const { application, context } = reconciliation;
  const object = await writeApplication(application, change, context);
  const { operation, status } = object;
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return {
    ...reconciliation,
    application: {
      ...application,
      object,
      ...(state === undefined ? {} : { operationState: readOperationState(state) }),
      ...(isObject(operation) ? { operation: readOperation(operation, 'operation') } : {}),
    },
  };
}

export function operationStateOf({ application }: Reconciliation): OperationState {
  if (application.operationState === undefined)
    throw new Error(`${application.name}: an operation runs without a state`);
  return application.operationState;
}

export interface OperationStateChange {
  readonly phase: OperationPhase;
  readonly message: string;
  readonly results: readonly ResourceResult[];
  readonly finishedAt?: string;
  readonly retryCount?: number;
}

export function nextOperationState(
  reconciliation: Reconciliation,
  running: RunningOperation | undefined,
  change: OperationStateChange,
): JsonObject {
  const state = operationStateOf(reconciliation);
  const { startedAt, revisions, sources, operation } = state;
  const { phase, message, results, finishedAt, retryCount = state.retryCount } = change;
  return writeOperationState(reconciliation.application, operation, {
    phase,
    message,
    results,
    startedAt,
    retryCount,
    revisions,
    sources,
    pruneWaves: running?.pruneWaves,
    waveAppliedAt: running?.waveAppliedAt,
    imageGate: running?.imageGate,
    isSuperseded: running?.isSuperseded,
    ...(finishedAt === undefined ? {} : { finishedAt }),
  });
}
