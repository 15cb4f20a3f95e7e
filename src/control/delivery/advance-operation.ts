import { isCompleted, readOperationState, type OperationState, type ResourceResult } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { keyText } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import {
  evaluateSyncWindows,
  nextRetry,
  planSync,
  recordOutcomes,
  type StepOutcome,
  type SyncPlan,
} from '../../plan/index.js';
import type { ComparedState } from '../comparison/index.js';
import { resumeRunning, runGroups, type OperationUpdate, type RunningOperation } from '../operation/index.js';
import { countRequest } from '../telemetry/index.js';
import { compareTargets } from './compare-targets.js';
import { requireRights } from './delivery-rights.js';
import { withHookReasons } from './hook-reasons.js';
import { withImageStates } from './image-states.js';
import { formatNow, logOf } from './reconcile-context.js';
import type { OperationSlot } from './reconcile-memory.js';
import { MIGRATION_MANAGER, type Reconciliation } from './reconciliation.js';
import type { ComparedTargets } from './sub-reconciler.js';
import { syncInput, syncOptionsOf, unchangedKeys } from './sync-input.js';
import { nextOperationState, operationStateOf, writeOperationStatus } from './write-operation.js';

/** An operation after as much as could be done now. */
export interface OperationProgress extends OperationUpdate, ComparedTargets {
  readonly reconciliation: Reconciliation;
  /** The last plan, while the operation waits for something. */
  readonly plan?: SyncPlan;
  readonly requeueAt?: Date;
}

interface Attempt extends ComparedTargets {
  readonly reconciliation: Reconciliation;
  readonly results: readonly ResourceResult[];
}

/** Runs the operation until it is over or has to wait. */
export async function advanceOperation(
  reconciliation: Reconciliation,
  compared: ComparedTargets,
  slot: OperationSlot,
): Promise<OperationProgress> {
  const { clock } = reconciliation.context;
  let attempt: Attempt = { reconciliation, ...compared, results: operationStateOf(reconciliation).results };
  for (;;) {
    const stopped = stop(attempt, slot.running);
    if (stopped !== undefined) return stopped;
    const { application } = attempt.reconciliation;
    const state = operationStateOf(attempt.reconciliation);
    const running = resumeRunning(slot.running, application, state, () => clock.now());
    slot.running = running;
    const input = syncInput(attempt.reconciliation, { ...attempt, state, running });
    const known = await withImageStates(attempt.reconciliation, input, running);
    const plan = planSync(await withHookReasons(attempt.reconciliation, known, running));
    // Recorded before the state is written: it says since when a step waits for its images.
    if (plan.imageGate !== undefined) running.imageGate = plan.imageGate;
    const isDue = plan.requeueAt !== undefined && plan.requeueAt <= clock.now();
    if (isCompleted(plan.phase) || (plan.groups.length === 0 && !isDue))
      return finish({ ...attempt, results: plan.results }, plan, running);
    attempt = await runPlan(attempt, plan, running);
  }
}

const WINDOW_CLOSED = 'Sync operation blocked by sync window';

/** Why the operation cannot continue: a closed sync window pauses it, anything else ends the attempt. */
function stop(attempt: Attempt, running: RunningOperation | undefined): OperationProgress | undefined {
  const { reconciliation, comparedState, results } = attempt;
  const { project, application, context } = reconciliation;
  const state = operationStateOf(reconciliation);
  const { isAllowed, problem, nextChange } = evaluateSyncWindows(project.syncWindows, application, {
    now: context.clock.now(),
    isManual: !state.operation.isAutomated,
    startedAt: new Date(state.startedAt),
  });
  if (!isAllowed && state.phase === 'Running') {
    const message = problem ?? WINDOW_CLOSED;
    const paused = nextOperationState(reconciliation, running, { phase: state.phase, message, results });
    return progressOf(attempt, paused, nextChange);
  }
  const error = comparisonError(comparedState);
  if (error !== undefined) return finish(attempt, { phase: 'Error', message: error }, running);
  const refusal = rightsError(reconciliation);
  if (refusal !== undefined) return finish(attempt, { phase: 'Error', message: refusal }, running);
  const failure =
    sharedResourceError(reconciliation, comparedState, state) ??
    (results.length === 0 && state.phase === 'Running'
      ? hookPermissionError(reconciliation, comparedState)
      : undefined);
  return failure === undefined ? undefined : finish(attempt, { phase: 'Failed', message: failure }, running);
}

/** What cannot be compared is not synced. */
function comparisonError({ conditions }: ComparedState): string | undefined {
  const errors = conditions
    .filter(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')
    .map(({ type, message }) => `${type}: ${message}`);
  return errors.length === 0 ? undefined : errors.join(';');
}

/** Without the account that its project has to name nothing is changed, and no dry run is asked for. */
function rightsError({ rights }: Reconciliation): string | undefined {
  if (rights.kind === 'granted') return undefined;
  return rights.kind === 'none' ? rights.message : `failed to derive service account to impersonate: ${rights.message}`;
}

/** With `FailOnSharedResource=true` nothing is applied while another application has one of the resources. */
function sharedResourceError(
  reconciliation: Reconciliation,
  { conditions }: ComparedState,
  state: OperationState,
): string | undefined {
  if (!syncOptionsOf(reconciliation, state).includes('FailOnSharedResource=true')) return undefined;
  const shared = conditions.filter(({ type }) => type === 'SharedResourceWarning').map(({ message }) => message);
  return shared.length === 0 ? undefined : `Shared resource found: ${shared.join('; ')}`;
}

/** With `argosy.hook-permissions: refuse` nothing is applied while a hook lacks permissions. */
function hookPermissionError({ context }: Reconciliation, { conditions }: ComparedState): string | undefined {
  if (context.controlPlane.settings.hookPermissions !== 'refuse') return undefined;
  const missing = conditions
    .filter(({ type }) => type === 'HookPermissionWarning')
    // What to add has many lines, and stands in the condition.
    .map(({ message }) => message.replace(/:\n[^]*$/, ': see the condition HookPermissionWarning'));
  return missing.length === 0 ? undefined : missing.join('; ');
}

async function runPlan(attempt: Attempt, plan: SyncPlan, running: RunningOperation): Promise<Attempt> {
  const { targets, comparedState } = attempt;
  const { results } = plan;
  const state = operationStateOf(attempt.reconciliation);
  const reconciliation =
    plan.groups.length === 0 || mustWriteState(plan, state)
      ? await writeOperationStatus(
          attempt.reconciliation,
          nextOperationState(attempt.reconciliation, running, { phase: plan.phase, message: plan.message, results }),
        )
      : attempt.reconciliation;
  const outcomes = await runSteps(reconciliation, plan, state, comparedState);
  recordProgress(running, plan, outcomes, reconciliation.context.clock.now());
  return {
    reconciliation,
    targets,
    results: recordOutcomes(results, outcomes),
    comparedState: await compareTargets(reconciliation, targets, comparedState),
  };
}

function runSteps(
  reconciliation: Reconciliation,
  { groups }: SyncPlan,
  state: OperationState,
  comparedState: ComparedState,
): Promise<StepOutcome[]> {
  const { context, application, clusterCache, instance, rights } = reconciliation;
  const unchanged = unchangedKeys(comparedState, reconciliation, state);
  const migrationManager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  return runGroups(groups, {
    clusterCache,
    cluster: requireRights(rights, 'cannot sync'),
    writer: instance,
    report: reportTo(logOf(application, context)),
    mayWrite: () => !context.isReadOnly(),
    isUnchanged: (key) => unchanged.has(keyText(key)),
    onRequest: (request) => {
      countRequest(context.metrics, application, clusterCache.server, state.operation.sync.dryRun, request);
    },
    ...(migrationManager === undefined ? {} : { migrationManager }),
  });
}

/** The results of a wave are written before the next one begins, and before hooks are released. */
function mustWriteState({ groups, results }: SyncPlan, { results: written }: OperationState): boolean {
  const isChanged = JSON.stringify(results) !== JSON.stringify(written);
  return (
    isChanged &&
    (results.some(({ status }) => status !== undefined) ||
      groups.some((group) => group.some(({ kind }) => kind !== 'check' && kind !== 'apply')))
  );
}

function recordProgress(
  running: RunningOperation,
  { pruneWaves }: SyncPlan,
  outcomes: readonly StepOutcome[],
  now: Date,
): void {
  if (pruneWaves !== undefined) running.pruneWaves = pruneWaves;
  if (outcomes.some(({ step }) => step.kind === 'check')) running.isChecked = true;
  if (outcomes.some(({ step }) => step.kind === 'apply')) running.waveAppliedAt = now;
}

/** The operation is over, or waits. A failed attempt may be followed by another one. */
function finish(
  attempt: Attempt,
  plan: Pick<SyncPlan, 'phase' | 'message'> | SyncPlan,
  running: RunningOperation | undefined,
): OperationProgress {
  const { reconciliation, results } = attempt;
  const { phase, message } = plan;
  const { context } = reconciliation;
  if (!isCompleted(phase)) {
    const waiting = nextOperationState(reconciliation, running, { phase, message, results });
    return 'waitsFor' in plan
      ? { ...progressOf(attempt, waiting, plan.requeueAt), plan }
      : progressOf(attempt, waiting);
  }
  const finishedAt = formatNow(context);
  if (phase === 'Succeeded')
    return progressOf(attempt, nextOperationState(reconciliation, running, { phase, message, results, finishedAt }));
  const retry = nextRetry(operationStateOf(reconciliation), message, context.clock.now());
  const ended = { message: retry.message, results, finishedAt };
  if (retry.kind === 'over')
    return progressOf(attempt, nextOperationState(reconciliation, running, { phase, ...ended }));
  const { retryCount, at } = retry;
  return progressOf(
    attempt,
    nextOperationState(reconciliation, running, { phase: 'Running', retryCount, ...ended }),
    at,
  );
}

function progressOf(
  { reconciliation, targets, comparedState }: Attempt,
  state: JsonObject,
  requeueAt?: Date,
): OperationProgress {
  return {
    reconciliation,
    targets,
    comparedState,
    state,
    parsed: readOperationState(state),
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}
