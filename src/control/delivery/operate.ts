import { createMergePatch } from '../../model/patch/index.js';
import { equal, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import {
  isCompleted,
  readOperation,
  readOperationState,
  type Operation,
  type OperationPhase,
  type OperationState,
  type ResourceResult,
} from '../../model/argo/index.js';
import { keyText } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import {
  planSync,
  nextRetry,
  recordOutcomes,
  resumeOperation,
  waitTimeoutOf,
  waveImagesOf,
  waveTimeoutsOf,
  evaluateSyncWindows,
  type SyncPlan,
  type StepOutcome,
  type SyncInput,
  type SyncWindowsDecision,
} from '../../plan/index.js';
import { respectIgnoreDifferences } from '../../diff/index.js';
import { writeApplication, type ApplicationChange } from './write-application.js';
import { countRequest } from '../telemetry/index.js';
import { formatNow, logOf } from './reconcile-context.js';
import {
  compare,
  useGivenManifests,
  renderHead,
  renderPinned,
  MIGRATION_MANAGER,
  type Reconciliation,
} from './reconciliation.js';
import type { ComparedState, ManagedResource } from '../comparison/index.js';
import {
  operationId,
  readImageGate,
  readPruneWaves,
  readWaveApplied,
  writeOperationState,
  type StateChange,
  runGroups,
  isOurs,
} from '../operation/index.js';
import type { RenderedTargets } from './reconcile-state.js';
import { withImageStates } from './image-states.js';

/** How an operation stands after as much as could be done now. */
export interface OperationUpdate {
  /** As it is to be written; equal to what is written already where nothing changed. */
  readonly state: JsonObject;
  readonly parsed: OperationState;
}

export interface OperationProgress extends OperationUpdate {
  readonly reconciliation: Reconciliation;
  /** The last look at what the operation delivers. */
  readonly comparedState: ComparedState;
  readonly targets: RenderedTargets;
  readonly move?: SyncPlan;
  readonly requeueAt?: Date;
}

/** Writes down that an operation begins: from here on a restart goes on with it. */
export async function startOperation(
  pass: Reconciliation,
  operation: Operation,
  made: RenderedTargets,
  sources: readonly JsonObject[],
): Promise<Reconciliation> {
  const { application, context } = pass;
  const startedAt = startTime(pass);
  const change: StateChange = {
    phase: 'Running',
    message: 'waiting to start',
    startedAt,
    retryCount: 0,
    revisions: made.rendered.sources.map(({ revision }) => revision),
    sources,
    results: [],
  };
  const state = writeOperationState(application, operation, change);
  const written = await writeOperation(pass, {
    operation: replacementPatch(application.object.operation, operation.raw),
    status: { operationState: replacementPatch(application.operationState?.raw, state) },
  });
  context.events.record(
    application.object,
    'OperationStarted',
    operation.isAutomated
      ? `Initiated automated sync to '${change.revisions.join(', ')}'`
      : `${operation.username === '' ? 'somebody' : operation.username} initiated sync to ` +
          `'${change.revisions.join(', ')}'`,
  );
  return written;
}

/**
 * Times have seconds and are part of the identity: of two operations in one second the later one counts from the next.
 */
function startTime({ application, context }: Reconciliation): string {
  const now = Math.floor(context.clock.now().getTime() / 1000) * 1000;
  const before = Date.parse(application.operationState?.startedAt ?? '');
  return formatTime(instantOf(before >= now ? before + 1000 : now));
}

/**
 * A merge patch that makes the old value exactly the new one: nothing of an earlier operation may stay in a later one.
 */
function replacementPatch(before: Json | undefined, now: JsonObject): JsonObject {
  const patch = createMergePatch(isObject(before) ? before : {}, now);
  return isObject(patch) ? patch : {};
}

async function writeOperation(pass: Reconciliation, change: ApplicationChange): Promise<Reconciliation> {
  const object = await writeApplication(pass.application, change, pass.context);
  const { operation, status } = object;
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return {
    ...pass,
    application: {
      ...pass.application,
      object,
      ...(state === undefined ? {} : { operationState: readOperationState(state) }),
      ...(isObject(operation) ? { operation: readOperation(operation, 'operation') } : {}),
    },
  };
}

/** Goes on with the operation as far as it goes now: until it is over, or waits for something. */
export async function operate(given: Reconciliation, seen: ComparedState): Promise<OperationProgress> {
  const resumed = await resume(given);
  if ('until' in resumed)
    return {
      reconciliation: given,
      state: operationStateOf(given).raw,
      parsed: operationStateOf(given),
      comparedState: seen,
      targets: await renderOperation(given),
      requeueAt: resumed.until,
    };
  let { pass } = resumed;
  const made = await renderOperation(pass);
  let observation = made === pass.reconcileState.head ? seen : await compare(pass, made, seen);
  let { results } = operationStateOf(pass);
  for (;;) {
    const state = operationStateOf(pass);
    const window = syncWindowState(pass, state);
    if (!window.isAllowed && state.phase === 'Running')
      return pauseOperation(pass, state, {
        targets: made,
        comparedState: observation,
        results,
        message: window.problem ?? 'Sync operation blocked by sync window',
        at: window.nextChange,
      });
    const obstacle = comparisonError(observation);
    if (obstacle !== undefined)
      return finishOperation(
        pass,
        state,
        { phase: 'Error', message: obstacle, results },
        { targets: made, comparedState: observation },
      );
    const shared = sharedResourceError(pass, observation, state);
    if (shared !== undefined)
      return finishOperation(
        pass,
        state,
        { phase: 'Failed', message: shared, results },
        { targets: made, comparedState: observation },
      );
    const forbidden = hookPermissionError(pass, observation);
    if (forbidden !== undefined && results.length === 0 && state.phase === 'Running')
      return finishOperation(
        pass,
        state,
        { phase: 'Failed', message: forbidden, results },
        { targets: made, comparedState: observation },
      );
    const move = planSync(
      await withImageStates(pass, syncInput(pass, state, runningOperation(pass, state).id, made, observation, results)),
    );
    recordImageGate(pass, move);
    ({ results } = move);
    const mayGoOn =
      !isCompleted(move.phase) &&
      (move.groups.length > 0 || (move.requeueAt !== undefined && move.requeueAt <= pass.context.clock.now()));
    if (!mayGoOn) return finishOperation(pass, state, move, { targets: made, comparedState: observation });
    if (move.groups.length === 0 || mustWriteState(move, state))
      pass = await writeOperation(pass, {
        status: { operationState: replacementPatch(state.raw, nextOperationState(pass, state, move)) },
      });
    const same = unchangedKeys(observation, pass, respectsIgnored(pass, state));
    const outcomes = await runGroups(move.groups, {
      clusterCache: pass.clusterCache,
      writer: pass.instance,
      report: reportTo(logOf(pass.application, pass.context)),
      mayWrite: () => !pass.context.isReadOnly(),
      isUnchanged: (key) => same.has(keyText(key)),
      onRequest: (request) => {
        countRequest(
          pass.context.metrics,
          pass.application,
          pass.clusterCache.server,
          state.operation.sync.dryRun,
          request,
        );
      },
      ...migrationOptions(pass),
    });
    recordProgress(pass, move, outcomes);
    results = recordOutcomes(results, outcomes);
    observation = await compare(pass, made, observation);
  }
}

/** Between two attempts it waits; an attempt that is due begins from nothing, and one that takes too long is ended. */
async function resume(pass: Reconciliation): Promise<{ readonly pass: Reconciliation } | { readonly until: Date }> {
  const state = operationStateOf(pass);
  const next = resumeOperation(state, pass.context.clock.now(), pass.context.controlPlane.settings.syncTimeout);
  switch (next.kind) {
    case 'continue':
      return { pass };
    case 'wait':
      return { until: next.until };
    case 'terminate':
      return { pass: await terminateOperation(pass, next.message) };
    case 'attempt': {
      const revisions = next.dropRevisions ? await newestRevisions(pass) : state.revisions;
      const fresh = writeOperationState(pass.application, state.operation, {
        phase: 'Running',
        message: next.message,
        startedAt: state.startedAt,
        retryCount: state.retryCount,
        revisions,
        sources: state.sources,
        results: [],
      });
      return { pass: await writeOperation(pass, { status: { operationState: replacementPatch(state.raw, fresh) } }) };
    }
    default:
      return next satisfies never;
  }
}

async function newestRevisions(pass: Reconciliation): Promise<string[]> {
  pass.reconcileState.staleSince = pass.context.clock.steady();
  return (await renderHead(pass)).rendered.sources.map(({ revision }) => revision);
}

async function renderOperation(pass: Reconciliation): Promise<RenderedTargets> {
  const { operation, revisions } = operationStateOf(pass);
  if (operation.sync.manifests.length > 0) return useGivenManifests(pass, operation.sync.manifests);
  const { sources } = pass.application;
  const wanted = operation.sync.sources;
  return renderPinned(pass, wanted.length === 0 || equal([...wanted], [...sources]) ? sources : wanted, revisions);
}

/** What cannot be compared is not synced. */
function comparisonError({ conditions }: ComparedState): string | undefined {
  const errors = conditions
    .filter(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')
    .map(({ type, message }) => `${type}: ${message}`);
  return errors.length === 0 ? undefined : errors.join(';');
}

/** With `FailOnSharedResource=true` nothing is applied that another application has as well. */
function sharedResourceError(
  pass: Reconciliation,
  { conditions }: ComparedState,
  state: OperationState,
): string | undefined {
  if (!syncOptionsOf(pass, state).includes('FailOnSharedResource=true')) return undefined;
  const shared = conditions.filter(({ type }) => type === 'SharedResourceWarning').map(({ message }) => message);
  return shared.length === 0 ? undefined : `Shared resource found: ${shared.join('; ')}`;
}

/** With `argosy.hook-permissions: refuse` nothing is applied while a hook may not do its work. */
function hookPermissionError({ context }: Reconciliation, { conditions }: ComparedState): string | undefined {
  if (context.controlPlane.settings.hookPermissions !== 'refuse') return undefined;
  const missing = conditions.filter(({ type }) => type === 'HookPermissionWarning').map(({ message }) => message);
  return missing.length === 0 ? undefined : missing.join('; ');
}

function operationStateOf({ application }: Reconciliation): OperationState {
  if (application.operationState === undefined)
    throw new Error(`${application.name}: an operation runs without a state`);
  return application.operationState;
}

function syncOptionsOf({ application }: Reconciliation, { operation }: OperationState): readonly string[] {
  return [...application.syncPolicy.syncOptions, ...operation.sync.syncOptions];
}

function respectsIgnored(pass: Reconciliation, state: OperationState): boolean {
  return syncOptionsOf(pass, state).includes('RespectIgnoreDifferences=true');
}

/** Objects that are as git wants them, put there by us: to apply them again would change nothing. */
function unchangedKeys(
  { resources }: ComparedState,
  { rules }: Reconciliation,
  respects: boolean,
): ReadonlySet<string> {
  return new Set(
    resources
      .filter(
        (resource) => resource.live !== undefined && isOurs(resource.live) && isUnchanged(resource, rules, respects),
      )
      .map(({ key }) => keyText(key)),
  );
}

/**
 * Whether an apply would leave it as it is. An ignored difference does not show, and is applied all the same unless the
 * sync respects it.
 */
function isUnchanged(
  { status, target, live }: ManagedResource,
  rules: Reconciliation['rules'],
  respects: boolean,
): boolean {
  if (status !== 'Synced') return false;
  return (
    respects ||
    target === undefined ||
    live === undefined ||
    equal(respectIgnoreDifferences(target, live, rules), target)
  );
}

function migrationOptions({ application }: Reconciliation): { migrationManager?: string } {
  const manager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  return manager === undefined ? {} : { migrationManager: manager };
}

/** What the last wave did is written down before the next begins, and before hooks are let go. */
function mustWriteState({ groups, results }: SyncPlan, { results: told }: OperationState): boolean {
  const isChanged = JSON.stringify(results) !== JSON.stringify(told);
  return (
    isChanged &&
    (results.some(({ status }) => status !== undefined) ||
      groups.some((group) => group.some(({ kind }) => kind !== 'check' && kind !== 'apply')))
  );
}

function runningOperation(
  { application, reconcileState, context }: Reconciliation,
  state: OperationState,
): { readonly id: string } {
  const { startedAt, retryCount, revisions, operation } = state;
  const pruneWaves = readPruneWaves(operation);
  const imageGate = readImageGate(operation);
  const id = operationId(application, startedAt, retryCount, revisions);
  // After a restart deadlines go on: when the last wave was applied is written down with its results.
  const resumed =
    state.results.length === 0 ? {} : { waveAppliedAt: readWaveApplied(operation) ?? context.clock.now() };
  if (reconcileState.running?.id !== id)
    reconcileState.running = {
      id,
      isChecked: false,
      ...resumed,
      ...(pruneWaves === undefined ? {} : { pruneWaves }),
      ...(imageGate === undefined ? {} : { imageGate }),
    };
  return reconcileState.running;
}

/** Before the state is written: it says since when a step waits for its images. */
function recordImageGate({ reconcileState }: Reconciliation, { imageGate }: SyncPlan): void {
  if (reconcileState.running !== undefined && imageGate !== undefined) reconcileState.running.imageGate = imageGate;
}

function recordProgress(
  { reconcileState, context }: Reconciliation,
  { pruneWaves }: SyncPlan,
  outcomes: readonly StepOutcome[],
): void {
  const { running } = reconcileState;
  if (running === undefined) return;
  if (pruneWaves !== undefined) running.pruneWaves = pruneWaves;
  if (outcomes.some(({ step }) => step.kind === 'check')) running.isChecked = true;
  if (outcomes.some(({ step }) => step.kind === 'apply')) running.waveAppliedAt = context.clock.now();
}

function syncInput(
  pass: Reconciliation,
  state: OperationState,
  operationIdentity: string,
  made: RenderedTargets,
  observation: ComparedState,
  results: readonly ResourceResult[],
): SyncInput {
  const { application, clusterCache, context, reconcileState } = pass;
  const { settings } = context.controlPlane;
  const { sync } = state.operation;
  const syncOptions = syncOptionsOf(pass, state);
  const respects = respectsIgnored(pass, state);
  const timeout = waitTimeoutOf(application.object);
  const approved = application.object.metadata.annotations?.['argocd.argoproj.io/deletion-approved'];
  return {
    // What only carries a copy of our tracking id is not ours to prune.
    resources: observation.resources
      .filter(({ target, requiresPruning }) => target !== undefined || requiresPruning)
      .map((resource) => syncResource(resource, pass, respects)),
    find: (key) => clusterCache.get(key),
    assess: pass.assess,
    kindOf: (object) => clusterCache.kindOf(object),
    servedInstead: (object) => clusterCache.servedInstead(object),
    findViolation: pass.findViolation,
    request: sync,
    syncOptions,
    destinationNamespace: application.destination.namespace,
    ...(application.syncPolicy.managedNamespaceMetadata === undefined
      ? {}
      : { namespaceMetadata: application.syncPolicy.managedNamespaceMetadata }),
    state: {
      operationId: operationIdentity,
      revision: made.rendered.sources[0]?.revision ?? '',
      startedAt: new Date(state.startedAt),
      results,
      isTerminating: state.phase === 'Terminating',
      isChecked: reconcileState.running?.isChecked === true,
      ...(reconcileState.running?.waveAppliedAt === undefined
        ? {}
        : { waveAppliedAt: reconcileState.running.waveAppliedAt }),
      ...(reconcileState.running?.pruneWaves === undefined ? {} : { pruneWaves: reconcileState.running.pruneWaves }),
      ...(reconcileState.running?.imageGate === undefined ? {} : { imageGate: reconcileState.running.imageGate }),
    },
    ...(approved === undefined ? {} : { deletionApprovedAt: new Date(approved) }),
    improvements: settings.improvements,
    ungatedKinds: settings.ungatedKinds,
    waveDelay: settings.waveDelay,
    now: context.clock.now(),
    ...(settings.gateTimeout === 0 ? {} : { gateTimeout: settings.gateTimeout }),
    waveTimeouts: waveTimeoutsOf(application.object),
    ...(timeout === undefined ? {} : { waitTimeout: timeout }),
    waveImages: waveImagesOf(application.object, application.destination.namespace),
    imageTimeout: timeout ?? settings.imageTimeout,
  };
}

/** What a sync would start from, for those who only want to see its plan. */
export function plannedInput(
  pass: Reconciliation,
  operation: Operation,
  made: RenderedTargets,
  observation: ComparedState,
): SyncInput {
  const now = formatNow(pass.context);
  const state = readOperationState(
    writeOperationState(pass.application, operation, {
      phase: 'Running',
      message: '',
      startedAt: now,
      retryCount: 0,
      revisions: made.rendered.sources.map(({ revision }) => revision),
      sources: pass.application.sources,
      results: [],
    }),
  );
  return syncInput(pass, state, '', made, observation, []);
}

function syncResource(
  resource: ManagedResource,
  { rules }: Reconciliation,
  respects: boolean,
): SyncInput['resources'][number] {
  const { key, target, live, status, isChecked, rejection } = resource;
  const wanted =
    target !== undefined && live !== undefined && respects ? respectIgnoreDifferences(target, live, rules) : target;
  return {
    key,
    isModified: status !== 'Synced',
    isChecked: isUnchanged(resource, rules, respects) || (isChecked && !respects),
    ...(wanted === undefined ? {} : { target: wanted }),
    ...(live === undefined ? {} : { live }),
    ...(rejection === undefined || respects ? {} : { rejection }),
  };
}

interface ComparedTargets {
  readonly targets: RenderedTargets;
  readonly comparedState: ComparedState;
}

function syncWindowState(
  { project, application, context }: Reconciliation,
  { operation, startedAt }: OperationState,
): SyncWindowsDecision {
  return evaluateSyncWindows(project.syncWindows, application, {
    now: context.clock.now(),
    isManual: !operation.isAutomated,
    startedAt: new Date(startedAt),
  });
}

function nextOperationState(
  pass: Reconciliation,
  state: OperationState,
  change: {
    readonly phase: OperationPhase;
    readonly message: string;
    readonly results: readonly ResourceResult[];
    readonly finishedAt?: string;
    readonly retryCount?: number;
  },
): JsonObject {
  const { startedAt, revisions, sources } = state;
  const { phase, message, results, finishedAt, retryCount = state.retryCount } = change;
  return writeOperationState(pass.application, state.operation, {
    phase,
    message,
    results,
    startedAt,
    retryCount,
    revisions,
    sources,
    pruneWaves: pass.reconcileState.running?.pruneWaves,
    waveAppliedAt: pass.reconcileState.running?.waveAppliedAt,
    imageGate: pass.reconcileState.running?.imageGate,
    ...(finishedAt === undefined ? {} : { finishedAt }),
  });
}

/** Asks the operation to end: hooks that run are removed, everything else stays. */
export function terminateOperation(pass: Reconciliation, message: string): Promise<Reconciliation> {
  const state = operationStateOf(pass);
  return writeOperation(pass, {
    status: {
      operationState: replacementPatch(
        state.raw,
        nextOperationState(pass, state, { phase: 'Terminating', message, results: state.results }),
      ),
    },
  });
}

function pauseOperation(
  pass: Reconciliation,
  state: OperationState,
  {
    targets,
    comparedState,
    results,
    message,
    at,
  }: ComparedTargets & { results: readonly ResourceResult[]; message: string; at: Date | undefined },
): OperationProgress {
  const json = nextOperationState(pass, state, { phase: state.phase, message, results });
  return {
    reconciliation: pass,
    state: json,
    parsed: readOperationState(json),
    targets,
    comparedState,
    ...(at === undefined ? {} : { requeueAt: at }),
  };
}

/** The operation is over, or waits. One that failed may get another attempt. */
function finishOperation(
  pass: Reconciliation,
  state: OperationState,
  move: Pick<SyncPlan, 'phase' | 'message' | 'results'> & Partial<SyncPlan>,
  seen: ComparedTargets,
): OperationProgress {
  const { phase, message, results, requeueAt } = move;
  const told = (json: JsonObject, at?: Date): OperationProgress => ({
    reconciliation: pass,
    state: json,
    parsed: readOperationState(json),
    ...seen,
    ...(at === undefined ? {} : { requeueAt: at }),
  });
  if (!isCompleted(phase))
    return {
      ...told(nextOperationState(pass, state, { phase, message, results }), requeueAt),
      ...(move.waitsFor === undefined ? {} : { move: move as SyncPlan }),
    };
  const finishedAt = formatNow(pass.context);
  if (phase === 'Succeeded') return told(nextOperationState(pass, state, { phase, message, results, finishedAt }));
  const retry = nextRetry(state, message, pass.context.clock.now());
  if (retry.kind === 'over')
    return told(nextOperationState(pass, state, { phase, message: retry.message, results, finishedAt }));
  return told(
    nextOperationState(pass, state, {
      phase: 'Running',
      message: retry.message,
      results,
      finishedAt,
      retryCount: retry.retryCount,
    }),
    retry.at,
  );
}

export function resourceKeys(observation: ComparedState): ReadonlySet<string> {
  return new Set(observation.resources.map(({ key }) => keyText(key)));
}
