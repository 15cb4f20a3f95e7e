import { ClusterError } from '../../cluster/index.js';
import { isArray, isObject, type JsonObject } from '../../model/json/index.js';
import { isCompleted, type Application, type OperationState } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { writeConditions } from '../comparison/index.js';
import { addToHistory, type OperationUpdate } from '../operation/index.js';
import { nextStatus, statusPatch, type ReconcileOutcome } from '../status/index.js';
import { auditName, countSync, findRefused, serverOf } from '../telemetry/index.js';
import { formatNow, REFRESH_ANNOTATION, type ReconcileContext } from './reconcile-context.js';
import type { CacheUpdate } from './reconcile-memory.js';
import { auditOf } from './write-operation.js';
import { writeApplication, type ApplicationChange } from './write-application.js';

const REFRESH_TIMESTAMP_ANNOTATION = 'argocd.argoproj.io/refresh-timestamp';

export interface OutcomeOptions {
  /** A refresh was requested: the status is written even if only its time is new, and the annotation goes. */
  readonly isRefresh: boolean;
  readonly operation?: OperationUpdate | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** Writes the outcome of a reconcile to the Application if it differs from what is there, with its events. */
export async function writeOutcome(
  application: Application,
  outcome: ReconcileOutcome,
  context: ReconcileContext,
  { isRefresh, operation, finalizers }: OutcomeOptions,
): Promise<CacheUpdate> {
  if (context.isReadOnly()) return {};
  const now = formatNow(context);
  const isOver = operation !== undefined && isCompleted(operation.parsed.phase);
  const history =
    operation?.parsed.phase === 'Succeeded'
      ? addToHistory(application, operation.parsed, now)
      : application.history.map(({ raw }) => raw);
  const status = nextStatus(application, outcome, operation?.state, history, now);
  const patch = statusPatch(application, status, now, isRefresh);
  if (patch === undefined && finalizers === undefined && !(isOver && application.operation !== undefined)) return {};
  await writeOrReportError(
    application,
    {
      ...(patch === undefined ? {} : { status: patch }),
      ...(isOver ? { operation: null } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(isRefresh ? { annotations: { [REFRESH_ANNOTATION]: null, [REFRESH_TIMESTAMP_ANNOTATION]: null } } : {}),
    },
    context,
  );
  recordEvents(application, outcome, context, isOver ? operation : undefined);
  recordRefusals(application, outcome, context, operation);
  return { refresh: undefined };
}

/** If the server rejects the status, at least its conditions are written, with the reason. */
async function writeOrReportError(
  application: Application,
  change: ApplicationChange,
  context: ReconcileContext,
): Promise<void> {
  try {
    await writeApplication(application, change, context);
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
        formatNow(context),
      ),
    ];
    await writeApplication(application, { ...change, status: { conditions } }, context);
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
    { ...auditOf(over.parsed.operation, over.parsed.revisions, phase), pruned: prunedBy(over.parsed) },
  );
  countSync(metrics, application, serverOf(clusters, isObject(object.spec) ? object.spec : {}), over.parsed);
}

/** Conditions by which a project or an account refuses what an application asks for. */
const REFUSING = ['InvalidSpecError', 'SyncError', 'DeletionError'];

function recordRefusals(
  { object }: Application,
  { conditions }: ReconcileOutcome,
  { audit }: ReconcileContext,
  operation: OperationUpdate | undefined,
): void {
  const refusing = conditions.filter(({ type }) => REFUSING.includes(type)).map(({ message }) => message);
  if (operation === undefined) {
    if (refusing.length > 0) audit.refused(object, 'sync', refusing.join('; '));
    return;
  }
  const { parsed } = operation;
  const refused = findRefused([...refusing, parsed.message, ...parsed.results.map(({ message }) => message)]);
  if (refused !== undefined)
    audit.refused(object, 'sync', refused, auditOf(parsed.operation, parsed.revisions, 'refused'));
}

function prunedBy({ results }: OperationState): string[] {
  return results
    .filter(({ status, hookType = '' }) => status === 'Pruned' && hookType === '')
    .map(({ group, kind, namespace, name }) => auditName({ group, kind, namespace, name }));
}

function conditionsOf({ status }: KubeObject): readonly JsonObject[] {
  return isObject(status) && isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}
