import { ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type JsonObject } from '../../model/json/index.js';
import {
  isCompleted,
  parseApplication,
  readOperation,
  readOperationState,
  type Application,
  type SyncStatus,
} from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { wantedFinalizers } from '../../plan/index.js';
import { writeApplication, type ApplicationChange } from './write-application.js';
import { writeConditions, type Condition, healthOf, liveResources, type ComparedState } from '../comparison/index.js';
import { countSync, serverOf } from '../telemetry/index.js';
import { formatNow, type ReconcileContext, type RequeueAfter } from './reconcile-context.js';
import type { OperationUpdate } from './operate.js';
import { addToHistory, hasNewNamespaceMetadata, writeOperationState } from '../operation/index.js';
import type { Reconciliation } from './reconciliation.js';
import type { ReconcileState, RenderedTargets } from './reconcile-state.js';
import { nextStatus, statusPatch, type ReconcileOutcome } from '../status/index.js';

export const REFRESH_ANNOTATION = 'argocd.argoproj.io/refresh';
const REFRESH_TIMESTAMP_ANNOTATION = 'argocd.argoproj.io/refresh-timestamp';

/** What cannot be compared is Unknown, whatever the rest says. */
export function syncStatusOf({ status, conditions }: ComparedState, application: Application): SyncStatus {
  if (conditions.some(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')) return 'Unknown';
  return hasNewNamespaceMetadata(application) ? 'OutOfSync' : status;
}

/** What else there is to tell after a look. */
export interface StatusUpdate {
  readonly conditions: readonly Condition[];
  readonly operation?: OperationUpdate;
  readonly requeueAt?: Date;
}

/** Writes the status where it says something new. */
export async function writeStatus(
  pass: Reconciliation,
  { rendered }: RenderedTargets,
  seen: ComparedState,
  { conditions, operation, requeueAt }: StatusUpdate,
): Promise<RequeueAfter> {
  const { application, context, reconcileState } = pass;
  const current = application.object.metadata.finalizers ?? [];
  const wanted = wantedFinalizers(
    current,
    seen.resources.flatMap(({ target }) => (target === undefined ? [] : [target])),
  );
  const finalizers = wanted.join() === current.join() ? undefined : wanted;
  const verdict: ReconcileOutcome = {
    sync: syncStatusOf(seen, application),
    health: seen.health,
    conditions: [...seen.conditions, ...conditions],
    comparedState: seen,
    revisions: rendered.sources.map(({ revision }) => revision),
    sourceTypes: rendered.sources.map(({ type }) => type),
  };
  await writeOutcome(application, verdict, reconcileState, context, operation, finalizers);
  return requeueAt === undefined
    ? {}
    : { milliseconds: Math.max(0, requeueAt.getTime() - context.clock.now().getTime()) };
}

async function writeOutcome(
  application: Application,
  verdict: ReconcileOutcome,
  record: ReconcileState,
  desk: ReconcileContext,
  operated?: OperationUpdate,
  finalizers?: readonly string[],
): Promise<void> {
  if (desk.isReadOnly()) return;
  const now = formatNow(desk);
  const wasAsked = record.refresh !== undefined;
  const isOver = operated !== undefined && isCompleted(operated.parsed.phase);
  const history =
    operated?.parsed.phase === 'Succeeded'
      ? addToHistory(application, operated.parsed, now)
      : application.history.map(({ raw }) => raw);
  const status = nextStatus(application, verdict, operated?.state, history, now);
  const patch = statusPatch(application, status, now, wasAsked);
  if (patch === undefined && finalizers === undefined && !(isOver && application.operation !== undefined)) return;
  await writeOrReportError(
    application,
    {
      ...(patch === undefined ? {} : { status: patch }),
      ...(isOver ? { operation: null } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(wasAsked ? { annotations: { [REFRESH_ANNOTATION]: null, [REFRESH_TIMESTAMP_ANNOTATION]: null } } : {}),
    },
    desk,
  );
  record.refresh = undefined;
  recordEvents(application, verdict, desk, isOver ? operated : undefined);
}

/**
 * Of a status that the server does not take the conditions are told, with the reason: something is better than nothing.
 */
async function writeOrReportError(
  application: Application,
  change: ApplicationChange,
  desk: ReconcileContext,
): Promise<void> {
  try {
    await writeApplication(application, change, desk);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.isConflict || error.retry || error.status === 403) throw error;
    const before = isObject(application.object.status) ? application.object.status.conditions : undefined;
    const found = change.status?.conditions ?? before;
    const others = isArray(found) ? found.filter((each) => isObject(each) && each.type !== 'UnknownError') : [];
    const conditions = [
      ...others,
      ...writeConditions(
        [{ type: 'UnknownError', message: `the status cannot be written: ${error.message}` }],
        before,
        formatNow(desk),
      ),
    ];
    await writeApplication(application, { ...change, status: { conditions } }, desk);
  }
}

function recordEvents(
  application: Application,
  { sync, health, conditions }: ReconcileOutcome,
  { clusters, events, metrics }: ReconcileContext,
  over: OperationUpdate | undefined,
): void {
  const { object } = application;
  const known = new Set(conditionsOf(object).map(({ message }) => message));
  for (const { message } of conditions.filter(({ type }) => type === 'AnnotationWarning'))
    if (!known.has(message)) events.record(object, 'AnnotationIgnored', message, 'Warning');
  if (application.syncStatus !== sync)
    events.record(object, 'ResourceUpdated', `Updated sync status: ${application.syncStatus ?? ''} -> ${sync}`);
  if (application.healthStatus !== health.status)
    events.record(
      object,
      'ResourceUpdated',
      `Updated health status: ${application.healthStatus ?? ''} -> ${health.status}`,
      health.status === 'Degraded' ? 'Warning' : 'Normal',
    );
  if (over === undefined) return;
  const { phase, message } = over.parsed;
  events.record(
    object,
    'OperationCompleted',
    phase === 'Succeeded'
      ? `Sync operation to ${over.parsed.revisions.join(', ')} succeeded`
      : `Sync operation to ${over.parsed.revisions.join(', ')} failed: ${message}`,
    phase === 'Succeeded' ? 'Normal' : 'Warning',
  );
  countSync(metrics, application, serverOf(clusters, isObject(object.spec) ? object.spec : {}), over.parsed);
}

function conditionsOf({ status }: KubeObject): readonly JsonObject[] {
  return isObject(status) && isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}

/** The Application cannot be understood, or its project does not allow it: nothing is known of it. */
export async function writeRejection(
  object: KubeObject,
  conditions: readonly Condition[],
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  record.head = undefined;
  record.comparedState = undefined;
  const application = parseReadableParts(object);
  const message = conditions.map((condition) => condition.message).join('; ');
  await writeOutcome(
    application,
    {
      sync: 'Unknown',
      health: { status: 'Unknown' },
      conditions,
      comparedState: { resources: [] },
      revisions: [],
      sourceTypes: [],
    },
    record,
    desk,
    failedOperation(application, message, desk),
  );
  return {};
}

/** While a repository is away, what was seen last counts, for as long as the settings say. */
export async function writeFailure(
  application: Application,
  { fault, pass }: { readonly fault: Fault; readonly pass: Reconciliation | undefined },
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  const now = desk.clock.steady();
  record.failingSince ??= now;
  const isPatient =
    fault.code === 'SOURCE_UNREACHABLE' &&
    record.refresh === undefined &&
    application.operation === undefined &&
    application.syncStatus !== undefined;
  const next = {
    milliseconds: fault.retry
      ? Math.min(MAX_RETRY_DELAY, Math.max(MIN_RETRY_DELAY, now - record.failingSince))
      : MAX_RETRY_DELAY,
  };
  if (isPatient && now - record.failingSince < desk.controlPlane.settings.repoErrorGracePeriod) return next;
  const resources = pass === undefined ? [] : liveResources(pass);
  const health =
    pass === undefined || resources.length === 0 ? { status: 'Unknown' as const } : healthOf(resources, application);
  const message = fault.where === '' ? fault.message : `${fault.message} (${fault.where})`;
  record.head = undefined;
  await writeOutcome(
    application,
    {
      sync: 'Unknown',
      health,
      conditions: [{ type: 'ComparisonError', message }],
      revisions: [],
      sourceTypes: [],
      ...(pass === undefined ? {} : { comparedState: { resources } }),
    },
    record,
    desk,
    failedOperation(application, message, desk),
  );
  return next;
}

const MIN_RETRY_DELAY = 5000;
const MAX_RETRY_DELAY = 180_000;

/** A sync that was asked for while nothing can be compared ends with the reason. */
export function failedOperation(
  application: Application,
  message: string,
  desk: ReconcileContext,
): OperationUpdate | undefined {
  const operation = application.operation;
  const running = application.operationState;
  if (operation === undefined && (running === undefined || isCompleted(running.phase))) return undefined;
  const now = formatNow(desk);
  const isRunning = running !== undefined && !isCompleted(running.phase);
  const state = writeOperationState(
    application,
    isRunning ? running.operation : (operation ?? readOperation({}, 'operation')),
    {
      phase: 'Error',
      message,
      startedAt: isRunning ? running.startedAt : now,
      finishedAt: now,
      retryCount: isRunning ? running.retryCount : 0,
      revisions: isRunning ? running.revisions : [],
      sources: isRunning ? running.sources : application.sources,
      results: isRunning ? running.results : [],
    },
  );
  return { state, parsed: readOperationState(state) };
}

/** As much of an Application as can be read, to tell it what is wrong. */
export function parseReadableParts(object: KubeObject): Application {
  try {
    return parseApplication(object);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { operation: _operation, ...rest } = object;
    const { status } = object;
    const readable = { ...rest, spec: { destination: {} } };
    // The operation stays as it is written: who writes to the object must not seem to have changed it.
    return {
      ...withReadableState(readable, isObject(status) ? status : {}),
      object: { ...object, spec: readable.spec },
    };
  }
}

/** A sync that runs is known even where the spec is not; its own state may be what cannot be read. */
function withReadableState(object: KubeObject, status: JsonObject): Application {
  try {
    return parseApplication({ ...object, status });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return parseApplication({ ...object, status: { ...status, operationState: null } });
  }
}
