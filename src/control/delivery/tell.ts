import { ClusterError } from '../../cluster/index.js';
import {
  Fault,
  isArray,
  isCompleted,
  isObject,
  parseApplication,
  readOperation,
  readOperationState,
  type Application,
  type JsonObject,
  type KubeObject,
  type SyncStatus,
} from '../../model/index.js';
import { wantedFinalizers } from '../../plan/index.js';
import { writeApplication, type ApplicationChange } from './application-writer.js';
import { writeConditions, type Condition } from './condition.js';
import { countSync, serverOf } from './delivery-metrics.js';
import { nowText, type Desk, type NextLook } from './desk.js';
import { healthOf, liveOnly, type Observation } from './observe.js';
import type { Operated } from './operate.js';
import { addToHistory, hasNewNamespaceMetadata, writeState } from './operation-state.js';
import type { Pass } from './pass.js';
import type { ApplicationRecord, Made } from './record.js';
import { nextStatus, statusPatch, type Verdict } from './status.js';

export const REFRESH = 'argocd.argoproj.io/refresh';
const REFRESH_TIMESTAMP = 'argocd.argoproj.io/refresh-timestamp';

/** What cannot be compared is Unknown, whatever the rest says. */
export function statusOf({ status, conditions }: Observation, application: Application): SyncStatus {
  if (conditions.some(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')) return 'Unknown';
  return hasNewNamespaceMetadata(application) ? 'OutOfSync' : status;
}

/** What else there is to tell after a look. */
export interface Told {
  readonly conditions: readonly Condition[];
  readonly operated?: Operated;
  readonly askAgainAt?: Date;
}

/** Writes the status where it says something new. */
export async function tell(
  pass: Pass,
  { made }: Made,
  seen: Observation,
  { conditions, operated, askAgainAt }: Told,
): Promise<NextLook> {
  const { application, desk, record } = pass;
  const current = application.object.metadata.finalizers ?? [];
  const wanted = wantedFinalizers(
    current,
    seen.resources.flatMap(({ target }) => (target === undefined ? [] : [target])),
  );
  const finalizers = wanted.join() === current.join() ? undefined : wanted;
  const verdict: Verdict = {
    sync: statusOf(seen, application),
    health: seen.health,
    conditions: [...seen.conditions, ...conditions],
    observation: seen,
    revisions: made.sources.map(({ revision }) => revision),
    sourceTypes: made.sources.map(({ type }) => type),
  };
  await writeVerdict(application, verdict, record, desk, operated, finalizers);
  return askAgainAt === undefined
    ? {}
    : { afterMilliseconds: Math.max(0, askAgainAt.getTime() - desk.clock.now().getTime()) };
}

async function writeVerdict(
  application: Application,
  verdict: Verdict,
  record: ApplicationRecord,
  desk: Desk,
  operated?: Operated,
  finalizers?: readonly string[],
): Promise<void> {
  if (desk.isReadOnly()) return;
  const now = nowText(desk);
  const wasAsked = record.refresh !== undefined;
  const isOver = operated !== undefined && isCompleted(operated.read.phase);
  const history =
    operated?.read.phase === 'Succeeded'
      ? addToHistory(application, operated.read, now)
      : application.history.map(({ raw }) => raw);
  const status = nextStatus(application, verdict, operated?.state, history, now);
  const patch = statusPatch(application, status, now, wasAsked);
  if (patch === undefined && finalizers === undefined && !(isOver && application.operation !== undefined)) return;
  await writeOrComplain(
    application,
    {
      ...(patch === undefined ? {} : { status: patch }),
      ...(isOver ? { operation: null } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(wasAsked ? { annotations: { [REFRESH]: null, [REFRESH_TIMESTAMP]: null } } : {}),
    },
    desk,
  );
  record.refresh = undefined;
  tellEvents(application, verdict, desk, isOver ? operated : undefined);
}

/**
 * Of a status that the server does not take the conditions are told, with the reason: something is better than nothing.
 */
async function writeOrComplain(application: Application, change: ApplicationChange, desk: Desk): Promise<void> {
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
        nowText(desk),
      ),
    ];
    await writeApplication(application, { ...change, status: { conditions } }, desk);
  }
}

function tellEvents(
  application: Application,
  { sync, health, conditions }: Verdict,
  { clusters, events, metrics }: Desk,
  over: Operated | undefined,
): void {
  const { object } = application;
  const known = new Set(conditionsOf(object).map(({ message }) => message));
  for (const { message } of conditions.filter(({ type }) => type === 'AnnotationWarning'))
    if (!known.has(message)) events.tell(object, 'AnnotationIgnored', message, 'Warning');
  if (application.syncStatus !== sync)
    events.tell(object, 'ResourceUpdated', `Updated sync status: ${application.syncStatus ?? ''} -> ${sync}`);
  if (application.healthStatus !== health.status)
    events.tell(
      object,
      'ResourceUpdated',
      `Updated health status: ${application.healthStatus ?? ''} -> ${health.status}`,
      health.status === 'Degraded' ? 'Warning' : 'Normal',
    );
  if (over === undefined) return;
  const { phase, message } = over.read;
  events.tell(
    object,
    'OperationCompleted',
    phase === 'Succeeded'
      ? `Sync operation to ${over.read.revisions.join(', ')} succeeded`
      : `Sync operation to ${over.read.revisions.join(', ')} failed: ${message}`,
    phase === 'Succeeded' ? 'Normal' : 'Warning',
  );
  countSync(metrics, application, serverOf(clusters, isObject(object.spec) ? object.spec : {}), over.read);
}

function conditionsOf({ status }: KubeObject): readonly JsonObject[] {
  return isObject(status) && isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}

/** The Application cannot be understood, or its project does not allow it: nothing is known of it. */
export async function tellRefusal(
  object: KubeObject,
  conditions: readonly Condition[],
  record: ApplicationRecord,
  desk: Desk,
): Promise<NextLook> {
  record.head = undefined;
  record.observation = undefined;
  const application = asFarAsReadable(object);
  const message = conditions.map((condition) => condition.message).join('; ');
  await writeVerdict(
    application,
    {
      sync: 'Unknown',
      health: { status: 'Unknown' },
      conditions,
      observation: { resources: [] },
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
export async function tellFailure(
  application: Application,
  { fault, pass }: { readonly fault: Fault; readonly pass: Pass | undefined },
  record: ApplicationRecord,
  desk: Desk,
): Promise<NextLook> {
  const now = desk.clock.steady();
  record.brokenSince ??= now;
  const isPatient =
    fault.code === 'SOURCE_UNREACHABLE' &&
    record.refresh === undefined &&
    application.operation === undefined &&
    application.syncStatus !== undefined;
  const next = {
    afterMilliseconds: fault.retry
      ? Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, now - record.brokenSince))
      : MOST_PATIENCE,
  };
  if (isPatient && now - record.brokenSince < desk.home.settings.repoErrorGracePeriod) return next;
  const resources = pass === undefined ? [] : liveOnly(pass);
  const health =
    pass === undefined || resources.length === 0 ? { status: 'Unknown' as const } : healthOf(resources, application);
  const message = fault.where === '' ? fault.message : `${fault.message} (${fault.where})`;
  record.head = undefined;
  await writeVerdict(
    application,
    {
      sync: 'Unknown',
      health,
      conditions: [{ type: 'ComparisonError', message }],
      revisions: [],
      sourceTypes: [],
      ...(pass === undefined ? {} : { observation: { resources } }),
    },
    record,
    desk,
    failedOperation(application, message, desk),
  );
  return next;
}

const LEAST_PATIENCE = 5000;
const MOST_PATIENCE = 180_000;

/** A sync that was asked for while nothing can be compared ends with the reason. */
export function failedOperation(application: Application, message: string, desk: Desk): Operated | undefined {
  const operation = application.operation;
  const running = application.operationState;
  if (operation === undefined && (running === undefined || isCompleted(running.phase))) return undefined;
  const now = nowText(desk);
  const isRunning = running !== undefined && !isCompleted(running.phase);
  const state = writeState(application, isRunning ? running.operation : (operation ?? readOperation({}, 'operation')), {
    phase: 'Error',
    message,
    startedAt: isRunning ? running.startedAt : now,
    finishedAt: now,
    retryCount: isRunning ? running.retryCount : 0,
    revisions: isRunning ? running.revisions : [],
    sources: isRunning ? running.sources : application.sources,
    results: isRunning ? running.results : [],
  });
  return { state, read: readOperationState(state) };
}

/** As much of an Application as can be read, to tell it what is wrong. */
export function asFarAsReadable(object: KubeObject): Application {
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
