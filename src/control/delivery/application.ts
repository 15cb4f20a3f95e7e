import { equal, Fault, isCompleted, isObject, parseApplication, readOperation, readOperationState, type Application, type JsonObject, type KubeObject, type Operation, type OperationState, type SyncStatus } from '../../model/index.js';
import { ClusterError } from '../../cluster/index.js';
import { AUTO_SYNC_SETTINGS, decideAutoSync, dependencyVerdict, maySupersede, wantedFinalizers, windowsVerdict, type Contest } from '../../plan/index.js';
import { admit, isReconcileSkipped, type Admitted } from './admit.js';
import { writeApplication, type ApplicationChange } from './application-writer.js';
import { writeConditions, type Condition } from './condition.js';
import { deleteApplication } from './delete-application.js';
import { nowText, type Desk, type NextLook } from './desk.js';
import { healthOf, liveOnly, type Observation } from './observe.js';
import { begin, keysOf, operate, terminate, type Operated } from './operate.js';
import { addToHistory, hasNewNamespaceMetadata, writeState } from './operation-state.js';
import { look, makeGiven, makeHead, makePinned, openPass, type Pass } from './pass.js';
import type { ApplicationRecord, Made } from './record.js';
import { nextStatus, statusPatch, type Verdict } from './status.js';

const REFRESH = 'argocd.argoproj.io/refresh';
const REFRESH_TIMESTAMP = 'argocd.argoproj.io/refresh-timestamp';

/**
 * One pass over one application: checkout, render, pair, compare, assess, next move, run, write the status. It reads the whole
 * truth each time, so a first look, a retry and a restart are the same.
 */
export async function deliver(object: KubeObject, record: ApplicationRecord, desk: Desk): Promise<NextLook> {
  if (isReconcileSkipped(object)) return {};
  noteRefresh(object, record, desk);
  if (isRequested(object)) record.staleSince ??= desk.clock.steady();
  const admission = admit(object, desk.home, desk.clusters, desk.controlNamespace);
  if (object.metadata.deletionTimestamp !== undefined && !(admission.kind === 'admitted' && isOperating(admission.admitted.application))) return deleteApplication(object, admission, record, desk);
  if (admission.kind === 'refused') return tellRefusal(object, admission.conditions, record, desk);
  if (admission.admitted.cluster.isSkipped) return {};
  record.repositories = new Set(admission.admitted.application.sources.flatMap(({ repoURL }) => (typeof repoURL === 'string' ? [repoURL] : [])));
  const looked = await lookAtHead(admission.admitted, record, desk);
  if (looked.kind === 'failed') return tellFailure(admission.admitted.application, looked, record, desk);
  const { pass, head, seen } = looked;
  try {
    return await act(pass, head, seen);
  } catch (error) {
    // What an operation asks for cannot be made: a revision that does not exist, a source that cannot be rendered.
    if (!(error instanceof Fault) || error.retry || error instanceof ClusterError) throw error;
    const operated = failedOperation(pass.application, error.message, desk);
    return tell(pass, head, seen, { conditions: [], ...(operated === undefined ? {} : { operated }) });
  }
}

type Looked =
  | { readonly kind: 'seen'; readonly pass: Pass; readonly head: Made; readonly seen: Observation }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly pass: Pass | undefined };

/** What git wants and what the cluster has, or why that cannot be said. */
async function lookAtHead(admitted: Admitted, record: ApplicationRecord, desk: Desk): Promise<Looked> {
  let pass: Pass | undefined;
  try {
    pass = await openPass(admitted, record, desk);
    const head = await makeHead(pass);
    const seen = await look(pass, head, record.observation);
    record.brokenSince = undefined;
    record.observation = seen;
    record.wanted = keysOf(seen);
    return { kind: 'seen', pass, head, seen };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'failed', fault: error, pass };
  }
}

function noteRefresh({ metadata }: KubeObject, record: ApplicationRecord, { clock }: Desk): void {
  const asked = metadata.annotations?.[REFRESH];
  if (asked === undefined) record.refresh = undefined;
  else record.refresh ??= { kind: asked === 'hard' ? 'hard' : 'normal', at: clock.steady() };
}

const COMPLETED: readonly unknown[] = ['Succeeded', 'Failed', 'Error'];

/** A sync that has not begun yet: it is for the newest commits. */
function isRequested({ operation, status }: KubeObject): boolean {
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return isObject(operation) && (state === undefined || COMPLETED.includes(state.phase));
}

/** Begins, goes on with or leaves alone an operation, and tells how the application stands. */
async function act(pass: Pass, head: Made, seen: Observation): Promise<NextLook> {
  const { application, desk } = pass;
  if (desk.isReadOnly()) return {};
  if (isOperating(application)) return goOn(await endWhenDeleted(pass), head, seen);
  if (application.operation !== undefined) return beginRequested(pass, application.operation, head, seen);
  const next = decide(pass, head, seen);
  if (next.operation === undefined) return tell(pass, head, seen, { conditions: next.conditions, ...(next.askAgainAt === undefined ? {} : { askAgainAt: next.askAgainAt }) });
  return goOn(await begin(pass, next.operation, head, application.sources), head, seen, next.conditions);
}

function isOperating({ operationState }: Application): boolean {
  return operationState !== undefined && !isCompleted(operationState.phase);
}

/** An application that goes does not wait for the end of its sync. */
async function endWhenDeleted(pass: Pass): Promise<Pass> {
  const { application } = pass;
  if (application.object.metadata.deletionTimestamp === undefined || application.operationState?.phase !== 'Running') return pass;
  return terminate(pass, 'the application is being deleted');
}

/** A request of a person: at the revision that it names, or at the newest, which the look was made with. */
async function beginRequested(pass: Pass, operation: Operation, head: Made, seen: Observation): Promise<NextLook> {
  const { sync } = operation;
  const { application } = pass;
  const revisions = sync.revisions.length > 0 ? sync.revisions : sync.revision === '' ? [] : [sync.revision];
  if (sync.manifests.length > 0) return goOn(await begin(pass, operation, makeGiven(pass, sync.manifests), application.sources), head, seen);
  const sources = sync.sources.length === 0 || areSame(sync.sources, application.sources) ? application.sources : sync.sources;
  if (revisions.length > 0 || sources !== application.sources) {
    return goOn(await begin(pass, operation, await makePinned(pass, sources, revisions, true), sources), head, seen);
  }
  return goOn(await begin(pass, operation, head, application.sources), head, seen);
}

function areSame(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return equal([...a], [...b]);
}

interface Decision {
  readonly operation?: Operation;
  readonly conditions: readonly Condition[];
  readonly askAgainAt?: Date;
}

/** Whether the application syncs by itself now. */
function decide({ application, project, desk }: Pass, { made }: Made, seen: Observation): Decision {
  const { settings } = desk.home;
  const { nextChange, isAllowed } = windowsVerdict(project.syncWindows, application, { now: desk.clock.now(), isManual: false });
  const verdict = decideAutoSync({
    application, syncStatus: statusOf(seen, application), revisions: made.sources.map(({ revision }) => revision), mayHaveChanges: true,
    resources: seen.resources.map(({ key, status, requiresPruning }) => ({ ...key, requiresPruning, ...(status === '' ? {} : { status }) })),
    isWindowOpen: isAllowed, ...(nextChange === undefined ? {} : { windowChange: nextChange }), contests: contestsOf(seen),
    settings: { failedBackoff: AUTO_SYNC_SETTINGS.failedBackoff, selfHealTimeout: settings.selfHeal.timeout, ...(settings.selfHeal.backoff === undefined ? {} : { selfHealBackoff: settings.selfHeal.backoff }) },
    improvements: settings.improvements, now: desk.clock.now(),
  });
  const conditions = verdict.condition === undefined ? [] : [verdict.condition];
  if (verdict.kind === 'none') return { conditions, ...(verdict.askAgainAt === undefined ? {} : { askAgainAt: verdict.askAgainAt }) };
  const dependencies = dependencyVerdict(application, ({ namespace, name }) => findApplication(desk, namespace, name));
  if (dependencies.kind === 'broken') return { conditions: [...conditions, dependencies.condition] };
  if (dependencies.kind === 'waits') return { conditions: [...conditions, { type: 'DependencyWarning', message: dependencies.message }] };
  return { operation: readOperation(verdict.operation, 'operation'), conditions };
}

function statusOf({ status, conditions }: Observation, application: Application): SyncStatus {
  if (conditions.some(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')) return 'Unknown';
  return hasNewNamespaceMetadata(application) ? 'OutOfSync' : status;
}

function findApplication({ home }: Desk, namespace: string, name: string): Application | undefined {
  const object = home.application(namespace, name);
  return object === undefined ? undefined : asFarAsReadable(object);
}

/** Fields that somebody else changed, by whoever owns them now. */
function contestsOf({ resources }: Observation): Contest[] {
  return resources.flatMap(({ key, differences }) => differences.filter(({ owner }) => owner !== '' && owner !== 'argosy').map(({ pointer, owner }) => ({ key, pointer, manager: owner })));
}

/** Goes on with an operation and tells how it stands. */
async function goOn(begun: Pass, head: Made, seen: Observation, conditions: readonly Condition[] = []): Promise<NextLook> {
  const progress = await operate(begun, seen);
  const { pass, read } = progress;
  const { record, desk } = pass;
  const revisions = head.made.sources.map(({ revision }) => revision);
  if (desk.home.settings.improvements.supersede && maySupersede(read, revisions, progress.move)) return goOn(await supersede(pass, read, head), head, seen);
  const observation = progress.made === head ? progress.observation : await look(pass, head, seen);
  record.observation = observation;
  record.wanted = keysOf(observation);
  if (isCompleted(read.phase)) record.running = undefined;
  return tell(pass, head, observation, { conditions, operated: progress, ...(progress.askAgainAt === undefined ? {} : { askAgainAt: progress.askAgainAt }) });
}

/** A newer commit takes the place of a sync that only waits: the same request, at the newest revisions. */
function supersede(pass: Pass, { operation }: OperationState, head: Made): Promise<Pass> {
  const sync = isObject(operation.raw.sync) ? operation.raw.sync : {};
  const { revision: _revision, revisions: _revisions, resources: _resources, ...rest } = sync;
  const revisions = head.made.sources.map(({ revision }) => revision);
  const pinned = pass.application.hasManySources ? { revisions } : { revision: revisions[0] ?? '' };
  return begin(pass, readOperation({ ...operation.raw, sync: { ...rest, ...pinned } }, 'operation'), head, pass.application.sources);
}

interface Told {
  readonly conditions: readonly Condition[];
  readonly operated?: Operated;
  readonly askAgainAt?: Date;
}

/** Writes the status where it says something new. */
async function tell(pass: Pass, { made }: Made, seen: Observation, { conditions, operated, askAgainAt }: Told): Promise<NextLook> {
  const { application, desk, record } = pass;
  const current = application.object.metadata.finalizers ?? [];
  const wanted = wantedFinalizers(current, seen.resources.flatMap(({ target }) => (target === undefined ? [] : [target])));
  const finalizers = wanted.join() === current.join() ? undefined : wanted;
  const verdict: Verdict = {
    sync: statusOf(seen, application), health: seen.health,
    conditions: [...seen.conditions, ...conditions], observation: seen,
    revisions: made.sources.map(({ revision }) => revision), sourceTypes: made.sources.map(({ type }) => type),
  };
  await writeVerdict(application, verdict, record, desk, operated, finalizers);
  return askAgainAt === undefined ? {} : { afterMilliseconds: Math.max(0, askAgainAt.getTime() - desk.clock.now().getTime()) };
}

async function writeVerdict(application: Application, verdict: Verdict, record: ApplicationRecord, desk: Desk, operated?: Operated, finalizers?: readonly string[]): Promise<void> {
  if (desk.isReadOnly()) return;
  const now = nowText(desk);
  const wasAsked = record.refresh !== undefined;
  const isOver = operated !== undefined && isCompleted(operated.read.phase);
  const history = operated?.read.phase === 'Succeeded' ? addToHistory(application, operated.read, now) : application.history.map(({ raw }) => raw);
  const status = nextStatus(application, verdict, operated?.state, history, now);
  const patch = statusPatch(application, status, now, wasAsked);
  if (patch === undefined && finalizers === undefined && !(isOver && application.operation !== undefined)) return;
  await writeOrComplain(application, {
    ...(patch === undefined ? {} : { status: patch }),
    ...(isOver ? { operation: null } : {}), ...(finalizers === undefined ? {} : { finalizers }),
    ...(wasAsked ? { annotations: { [REFRESH]: null, ...(application.object.metadata.annotations?.[REFRESH_TIMESTAMP] === undefined ? {} : { [REFRESH_TIMESTAMP]: null }) } } : {}),
  }, desk);
  record.refresh = undefined;
  tellEvents(application, verdict, desk, isOver ? operated : undefined);
}

/** A status that the server does not take is told in one condition: something is better than nothing. */
async function writeOrComplain(application: Application, change: ApplicationChange, desk: Desk): Promise<void> {
  try {
    await writeApplication(application, change, desk);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.isConflict || error.retry || error.status === 403) throw error;
    const { status } = application.object;
    const conditions = writeConditions([{ type: 'UnknownError', message: `the status cannot be written: ${error.message}` }], isObject(status) ? status.conditions : undefined, nowText(desk));
    await writeApplication(application, { ...change, status: { conditions } }, desk);
  }
}

function tellEvents(application: Application, { sync, health }: Verdict, { events, metrics }: Desk, over: Operated | undefined): void {
  const { object } = application;
  if (application.syncStatus !== sync) events.tell(object, 'ResourceUpdated', `Updated sync status: ${application.syncStatus ?? ''} -> ${sync}`);
  if (application.healthStatus !== health.status) events.tell(object, 'ResourceUpdated', `Updated health status: ${application.healthStatus ?? ''} -> ${health.status}`, health.status === 'Degraded' ? 'Warning' : 'Normal');
  if (over === undefined) return;
  const { phase, message, operation } = over.read;
  events.tell(object, 'OperationCompleted', phase === 'Succeeded' ? `Sync operation to ${over.read.revisions.join(', ')} succeeded` : `Sync operation to ${over.read.revisions.join(', ')} failed: ${message}`, phase === 'Succeeded' ? 'Normal' : 'Warning');
  metrics.count('argocd_app_sync_total', 'Number of application syncs.', { namespace: application.namespace, name: application.name, project: application.project, phase, dry_run: String(operation.sync.dryRun) });
}

/** The Application cannot be understood, or its project does not allow it: nothing is known of it. */
async function tellRefusal(object: KubeObject, conditions: readonly Condition[], record: ApplicationRecord, desk: Desk): Promise<NextLook> {
  record.head = undefined;
  record.observation = undefined;
  const application = asFarAsReadable(object);
  const message = conditions.map((condition) => condition.message).join('; ');
  await writeVerdict(application, {
    sync: 'Unknown', health: { status: 'Unknown' }, conditions, observation: { resources: [] }, revisions: [], sourceTypes: [],
  }, record, desk, failedOperation(application, message, desk));
  return {};
}

/** While a repository is away, what was seen last counts, for as long as the settings say. */
async function tellFailure(application: Application, { fault, pass }: Looked & { kind: 'failed' }, record: ApplicationRecord, desk: Desk): Promise<NextLook> {
  const now = desk.clock.steady();
  record.brokenSince ??= now;
  const isPatient = fault.code === 'SOURCE_UNREACHABLE' && record.refresh === undefined && application.operation === undefined && application.syncStatus !== undefined;
  const next = { afterMilliseconds: fault.retry ? Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, now - record.brokenSince)) : MOST_PATIENCE };
  if (isPatient && now - record.brokenSince < desk.home.settings.repoErrorGracePeriod) return next;
  const resources = pass === undefined ? [] : liveOnly(pass);
  const health = pass === undefined || resources.length === 0 ? { status: 'Unknown' as const } : healthOf(resources, application);
  const message = fault.where === '' ? fault.message : `${fault.message} (${fault.where})`;
  record.head = undefined;
  await writeVerdict(application, {
    sync: 'Unknown', health, conditions: [{ type: 'ComparisonError', message }], revisions: [], sourceTypes: [],
    ...(pass === undefined ? {} : { observation: { resources } }),
  }, record, desk, failedOperation(application, message, desk));
  return next;
}

const LEAST_PATIENCE = 5000;
const MOST_PATIENCE = 180_000;

/** A sync that was asked for while nothing can be compared ends with the reason. */
function failedOperation(application: Application, message: string, desk: Desk): Operated | undefined {
  const operation = application.operation;
  const running = application.operationState;
  if (operation === undefined && (running === undefined || isCompleted(running.phase))) return undefined;
  const now = nowText(desk);
  const isRunning = running !== undefined && !isCompleted(running.phase);
  const state = writeState(application, isRunning ? running.operation : operation ?? readOperation({}, 'operation'), {
    phase: 'Error', message, startedAt: isRunning ? running.startedAt : now, finishedAt: now, retryCount: isRunning ? running.retryCount : 0,
    revisions: isRunning ? running.revisions : [], sources: isRunning ? running.sources : application.sources, results: isRunning ? running.results : [],
  });
  return { state, read: readOperationState(state) };
}

/** As much of an Application as can be read, to tell it what is wrong. */
function asFarAsReadable(object: KubeObject): Application {
  try {
    return parseApplication(object);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { operation: _operation, ...rest } = object;
    const { status } = object;
    const readable = { ...rest, spec: { destination: {} } };
    // The operation stays as it is written: who writes to the object must not seem to have changed it.
    return { ...parseApplication({ ...readable, status: isObject(status) ? { ...status, operationState: null } : {} }), object: { ...object, spec: readable.spec } };
  }
}
