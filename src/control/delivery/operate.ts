import {
  createMergePatch,
  equal,
  formatTime,
  instantOf,
  isCompleted,
  isObject,
  keyText,
  readOperation,
  readOperationState,
  type Json,
  type JsonObject,
  type Operation,
  type OperationPhase,
  type OperationState,
  type ResourceResult,
} from '../../model/index.js';
import {
  nextMove,
  nextRetry,
  recordOutcomes,
  resumeOperation,
  waitTimeoutOf,
  waveImagesOf,
  waveTimeoutsOf,
  windowsVerdict,
  type Move,
  type StepOutcome,
  type SyncInput,
  type WindowsVerdict,
} from '../../plan/index.js';
import { respectIgnored } from '../../diff/index.js';
import { writeApplication, type ApplicationChange } from './application-writer.js';
import { countRequest } from './delivery-metrics.js';
import { nowText } from './desk.js';
import { look, makeGiven, makeHead, makePinned, MIGRATION_MANAGER, type Pass } from './pass.js';
import type { Observation, ObservedResource } from './observe.js';
import {
  operationId,
  readImageGate,
  readPruneWaves,
  readWaveApplied,
  writeState,
  type StateChange,
} from './operation-state.js';
import type { Made } from './record.js';
import { withImages } from './images.js';
import { runGroups } from './run-steps.js';
import { isOurs } from './take-over-fields.js';

/** How an operation stands after as much as could be done now. */
export interface Operated {
  /** As it is to be written; equal to what is written already where nothing changed. */
  readonly state: JsonObject;
  readonly read: OperationState;
}

export interface Progress extends Operated {
  readonly pass: Pass;
  /** The last look at what the operation delivers. */
  readonly observation: Observation;
  readonly made: Made;
  readonly move?: Move;
  readonly askAgainAt?: Date;
}

/** Writes down that an operation begins: from here on a restart goes on with it. */
export async function begin(
  pass: Pass,
  operation: Operation,
  made: Made,
  sources: readonly JsonObject[],
): Promise<Pass> {
  const { application, desk } = pass;
  const startedAt = startOf(pass);
  const change: StateChange = {
    phase: 'Running',
    message: 'waiting to start',
    startedAt,
    retryCount: 0,
    revisions: made.made.sources.map(({ revision }) => revision),
    sources,
    results: [],
  };
  const state = writeState(application, operation, change);
  const written = await write(pass, {
    operation: replacing(application.object.operation, operation.raw),
    status: { operationState: replacing(application.operationState?.raw, state) },
  });
  desk.events.tell(
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
function startOf({ application, desk }: Pass): string {
  const now = Math.floor(desk.clock.now().getTime() / 1000) * 1000;
  const before = Date.parse(application.operationState?.startedAt ?? '');
  return formatTime(instantOf(before >= now ? before + 1000 : now));
}

/**
 * A merge patch that makes the old value exactly the new one: nothing of an earlier operation may stay in a later one.
 */
function replacing(before: Json | undefined, now: JsonObject): JsonObject {
  const patch = createMergePatch(isObject(before) ? before : {}, now);
  return isObject(patch) ? patch : {};
}

async function write(pass: Pass, change: ApplicationChange): Promise<Pass> {
  const object = await writeApplication(pass.application, change, pass.desk);
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
export async function operate(given: Pass, seen: Observation): Promise<Progress> {
  const resumed = await resume(given);
  if ('until' in resumed)
    return {
      pass: given,
      state: stateOf(given).raw,
      read: stateOf(given),
      observation: seen,
      made: await pinnedOf(given),
      askAgainAt: resumed.until,
    };
  let { pass } = resumed;
  const made = await pinnedOf(pass);
  let observation = made === pass.record.head ? seen : await look(pass, made, seen);
  let { results } = stateOf(pass);
  for (;;) {
    const state = stateOf(pass);
    const window = windowOf(pass, state);
    if (!window.isAllowed && state.phase === 'Running')
      return pause(pass, state, {
        made,
        observation,
        results,
        message: window.problem ?? 'Sync operation blocked by sync window',
        at: window.nextChange,
      });
    const obstacle = obstacleTo(observation);
    if (obstacle !== undefined)
      return conclude(pass, state, { phase: 'Error', message: obstacle, results }, { made, observation });
    const shared = sharedResources(pass, observation, state);
    if (shared !== undefined)
      return conclude(pass, state, { phase: 'Failed', message: shared, results }, { made, observation });
    const forbidden = forbiddenHooks(pass, observation);
    if (forbidden !== undefined && results.length === 0 && state.phase === 'Running')
      return conclude(pass, state, { phase: 'Failed', message: forbidden, results }, { made, observation });
    const move = nextMove(
      await withImages(pass, syncInput(pass, state, runningOf(pass, state).id, made, observation, results)),
    );
    rememberGate(pass, move);
    ({ results } = move);
    const mayGoOn =
      !isCompleted(move.phase) &&
      (move.groups.length > 0 || (move.askAgainAt !== undefined && move.askAgainAt <= pass.desk.clock.now()));
    if (!mayGoOn) return conclude(pass, state, move, { made, observation });
    if (move.groups.length === 0 || mustTell(move, state))
      pass = await write(pass, { status: { operationState: replacing(state.raw, changed(pass, state, move)) } });
    const same = unchangedOf(observation, pass, respectsIgnored(pass, state));
    const outcomes = await runGroups(move.groups, {
      view: pass.view,
      by: pass.instance,
      report: pass.desk.report,
      mayWrite: () => !pass.desk.isReadOnly(),
      isSame: (key) => same.has(keyText(key)),
      count: (request) => {
        countRequest(pass.desk.metrics, pass.application, pass.view.server, state.operation.sync.dryRun, request);
      },
      ...migration(pass),
    });
    remember(pass, move, outcomes);
    results = recordOutcomes(results, outcomes);
    observation = await look(pass, made, observation);
  }
}

/** Between two attempts it waits; an attempt that is due begins from nothing, and one that takes too long is ended. */
async function resume(pass: Pass): Promise<{ readonly pass: Pass } | { readonly until: Date }> {
  const state = stateOf(pass);
  const next = resumeOperation(state, pass.desk.clock.now(), pass.desk.home.settings.syncTimeout);
  switch (next.kind) {
    case 'continue':
      return { pass };
    case 'wait':
      return { until: next.until };
    case 'terminate':
      return { pass: await terminate(pass, next.message) };
    case 'attempt': {
      const revisions = next.dropRevisions ? await newestRevisions(pass) : state.revisions;
      const fresh = writeState(pass.application, state.operation, {
        phase: 'Running',
        message: next.message,
        startedAt: state.startedAt,
        retryCount: state.retryCount,
        revisions,
        sources: state.sources,
        results: [],
      });
      return { pass: await write(pass, { status: { operationState: replacing(state.raw, fresh) } }) };
    }
    default:
      return next satisfies never;
  }
}

async function newestRevisions(pass: Pass): Promise<string[]> {
  pass.record.staleSince = pass.desk.clock.steady();
  return (await makeHead(pass)).made.sources.map(({ revision }) => revision);
}

async function pinnedOf(pass: Pass): Promise<Made> {
  const { operation, revisions } = stateOf(pass);
  if (operation.sync.manifests.length > 0) return makeGiven(pass, operation.sync.manifests);
  const { sources } = pass.application;
  const wanted = operation.sync.sources;
  return makePinned(pass, wanted.length === 0 || equal([...wanted], [...sources]) ? sources : wanted, revisions);
}

/** What cannot be compared is not synced. */
function obstacleTo({ conditions }: Observation): string | undefined {
  const errors = conditions
    .filter(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')
    .map(({ type, message }) => `${type}: ${message}`);
  return errors.length === 0 ? undefined : errors.join(';');
}

/** With `FailOnSharedResource=true` nothing is applied that another application has as well. */
function sharedResources(pass: Pass, { conditions }: Observation, state: OperationState): string | undefined {
  if (!syncOptionsOf(pass, state).includes('FailOnSharedResource=true')) return undefined;
  const shared = conditions.filter(({ type }) => type === 'SharedResourceWarning').map(({ message }) => message);
  return shared.length === 0 ? undefined : `Shared resource found: ${shared.join('; ')}`;
}

/** With `argosy.hook-permissions: refuse` nothing is applied while a hook may not do its work. */
function forbiddenHooks({ desk }: Pass, { conditions }: Observation): string | undefined {
  if (desk.home.settings.hookPermissions !== 'refuse') return undefined;
  const missing = conditions.filter(({ type }) => type === 'HookPermissionWarning').map(({ message }) => message);
  return missing.length === 0 ? undefined : missing.join('; ');
}

function stateOf({ application }: Pass): OperationState {
  if (application.operationState === undefined)
    throw new Error(`${application.name}: an operation runs without a state`);
  return application.operationState;
}

function syncOptionsOf({ application }: Pass, { operation }: OperationState): readonly string[] {
  return [...application.syncPolicy.syncOptions, ...operation.sync.syncOptions];
}

function respectsIgnored(pass: Pass, state: OperationState): boolean {
  return syncOptionsOf(pass, state).includes('RespectIgnoreDifferences=true');
}

/** Objects that are as git wants them, put there by us: to apply them again would change nothing. */
function unchangedOf({ resources }: Observation, { rules }: Pass, respects: boolean): ReadonlySet<string> {
  return new Set(
    resources
      .filter(
        (resource) => resource.live !== undefined && isOurs(resource.live) && isAsWanted(resource, rules, respects),
      )
      .map(({ key }) => keyText(key)),
  );
}

/**
 * Whether an apply would leave it as it is. An ignored difference does not show, and is applied all the same unless the
 * sync respects it.
 */
function isAsWanted({ status, target, live }: ObservedResource, rules: Pass['rules'], respects: boolean): boolean {
  if (status !== 'Synced') return false;
  return respects || target === undefined || live === undefined || equal(respectIgnored(target, live, rules), target);
}

function migration({ application }: Pass): { migrationManager?: string } {
  const manager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  return manager === undefined ? {} : { migrationManager: manager };
}

/** What the last wave did is written down before the next begins, and before hooks are let go. */
function mustTell({ groups, results }: Move, { results: told }: OperationState): boolean {
  const isChanged = JSON.stringify(results) !== JSON.stringify(told);
  return (
    isChanged &&
    (results.some(({ status }) => status !== undefined) ||
      groups.some((group) => group.some(({ kind }) => kind !== 'check' && kind !== 'apply')))
  );
}

function runningOf({ application, record, desk }: Pass, state: OperationState): { readonly id: string } {
  const { startedAt, retryCount, revisions, operation } = state;
  const pruneWaves = readPruneWaves(operation);
  const imageGate = readImageGate(operation);
  const id = operationId(application, startedAt, retryCount, revisions);
  // After a restart deadlines go on: when the last wave was applied is written down with its results.
  const resumed = state.results.length === 0 ? {} : { waveAppliedAt: readWaveApplied(operation) ?? desk.clock.now() };
  if (record.running?.id !== id)
    record.running = {
      id,
      isChecked: false,
      ...resumed,
      ...(pruneWaves === undefined ? {} : { pruneWaves }),
      ...(imageGate === undefined ? {} : { imageGate }),
    };
  return record.running;
}

/** Before the state is written: it says since when a step waits for its images. */
function rememberGate({ record }: Pass, { imageGate }: Move): void {
  if (record.running !== undefined && imageGate !== undefined) record.running.imageGate = imageGate;
}

function remember({ record, desk }: Pass, { pruneWaves }: Move, outcomes: readonly StepOutcome[]): void {
  const { running } = record;
  if (running === undefined) return;
  if (pruneWaves !== undefined) running.pruneWaves = pruneWaves;
  if (outcomes.some(({ step }) => step.kind === 'check')) running.isChecked = true;
  if (outcomes.some(({ step }) => step.kind === 'apply')) running.waveAppliedAt = desk.clock.now();
}

function syncInput(
  pass: Pass,
  state: OperationState,
  operationIdentity: string,
  made: Made,
  observation: Observation,
  results: readonly ResourceResult[],
): SyncInput {
  const { application, view, desk, record } = pass;
  const { settings } = desk.home;
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
    find: (key) => view.get(key),
    assess: pass.assess,
    kindOf: (object) => view.kindOf(object),
    servedInstead: (object) => view.servedInstead(object),
    objectionTo: pass.objectionTo,
    request: sync,
    syncOptions,
    destinationNamespace: application.destination.namespace,
    ...(application.syncPolicy.managedNamespaceMetadata === undefined
      ? {}
      : { namespaceMetadata: application.syncPolicy.managedNamespaceMetadata }),
    state: {
      operationId: operationIdentity,
      revision: made.made.sources[0]?.revision ?? '',
      startedAt: new Date(state.startedAt),
      results,
      isTerminating: state.phase === 'Terminating',
      isChecked: record.running?.isChecked === true,
      ...(record.running?.waveAppliedAt === undefined ? {} : { waveAppliedAt: record.running.waveAppliedAt }),
      ...(record.running?.pruneWaves === undefined ? {} : { pruneWaves: record.running.pruneWaves }),
      ...(record.running?.imageGate === undefined ? {} : { imageGate: record.running.imageGate }),
    },
    ...(approved === undefined ? {} : { deletionApprovedAt: new Date(approved) }),
    improvements: settings.improvements,
    ungatedKinds: settings.ungatedKinds,
    waveDelay: settings.waveDelay,
    now: desk.clock.now(),
    ...(settings.gateTimeout === 0 ? {} : { gateTimeout: settings.gateTimeout }),
    waveTimeouts: waveTimeoutsOf(application.object),
    ...(timeout === undefined ? {} : { waitTimeout: timeout }),
    waveImages: waveImagesOf(application.object, application.destination.namespace),
    imageTimeout: timeout ?? settings.imageTimeout,
  };
}

/** What a sync would start from, for those who only want to see its plan. */
export function plannedInput(pass: Pass, operation: Operation, made: Made, observation: Observation): SyncInput {
  const now = nowText(pass.desk);
  const state = readOperationState(
    writeState(pass.application, operation, {
      phase: 'Running',
      message: '',
      startedAt: now,
      retryCount: 0,
      revisions: made.made.sources.map(({ revision }) => revision),
      sources: pass.application.sources,
      results: [],
    }),
  );
  return syncInput(pass, state, '', made, observation, []);
}

function syncResource(resource: ObservedResource, { rules }: Pass, respects: boolean): SyncInput['resources'][number] {
  const { key, target, live, status, isChecked, refusal } = resource;
  const wanted = target !== undefined && live !== undefined && respects ? respectIgnored(target, live, rules) : target;
  return {
    key,
    isModified: status !== 'Synced',
    isChecked: isAsWanted(resource, rules, respects) || (isChecked && !respects),
    ...(wanted === undefined ? {} : { target: wanted }),
    ...(live === undefined ? {} : { live }),
    ...(refusal === undefined || respects ? {} : { refusal }),
  };
}

interface Seen {
  readonly made: Made;
  readonly observation: Observation;
}

function windowOf({ project, application, desk }: Pass, { operation, startedAt }: OperationState): WindowsVerdict {
  return windowsVerdict(project.syncWindows, application, {
    now: desk.clock.now(),
    isManual: !operation.isAutomated,
    startedAt: new Date(startedAt),
  });
}

function changed(
  pass: Pass,
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
  return writeState(pass.application, state.operation, {
    phase,
    message,
    results,
    startedAt,
    retryCount,
    revisions,
    sources,
    pruneWaves: pass.record.running?.pruneWaves,
    waveAppliedAt: pass.record.running?.waveAppliedAt,
    imageGate: pass.record.running?.imageGate,
    ...(finishedAt === undefined ? {} : { finishedAt }),
  });
}

/** Asks the operation to end: hooks that run are removed, everything else stays. */
export function terminate(pass: Pass, message: string): Promise<Pass> {
  const state = stateOf(pass);
  return write(pass, {
    status: {
      operationState: replacing(
        state.raw,
        changed(pass, state, { phase: 'Terminating', message, results: state.results }),
      ),
    },
  });
}

function pause(
  pass: Pass,
  state: OperationState,
  {
    made,
    observation,
    results,
    message,
    at,
  }: Seen & { results: readonly ResourceResult[]; message: string; at: Date | undefined },
): Progress {
  const json = changed(pass, state, { phase: state.phase, message, results });
  return {
    pass,
    state: json,
    read: readOperationState(json),
    made,
    observation,
    ...(at === undefined ? {} : { askAgainAt: at }),
  };
}

/** The operation is over, or waits. One that failed may get another attempt. */
function conclude(
  pass: Pass,
  state: OperationState,
  move: Pick<Move, 'phase' | 'message' | 'results'> & Partial<Move>,
  seen: Seen,
): Progress {
  const { phase, message, results, askAgainAt } = move;
  const told = (json: JsonObject, at?: Date): Progress => ({
    pass,
    state: json,
    read: readOperationState(json),
    ...seen,
    ...(at === undefined ? {} : { askAgainAt: at }),
  });
  if (!isCompleted(phase))
    return {
      ...told(changed(pass, state, { phase, message, results }), askAgainAt),
      ...(move.waitsFor === undefined ? {} : { move: move as Move }),
    };
  const finishedAt = nowText(pass.desk);
  if (phase === 'Succeeded') return told(changed(pass, state, { phase, message, results, finishedAt }));
  const retry = nextRetry(state, message, pass.desk.clock.now());
  if (retry.kind === 'over') return told(changed(pass, state, { phase, message: retry.message, results, finishedAt }));
  return told(
    changed(pass, state, {
      phase: 'Running',
      message: retry.message,
      results,
      finishedAt,
      retryCount: retry.retryCount,
    }),
    retry.at,
  );
}

export function keysOf(observation: Observation): ReadonlySet<string> {
  return new Set(observation.resources.map(({ key }) => keyText(key)));
}
