import { faultText, type Fault } from '../../model/faults/index.js';
import type { Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { healthOf, liveResources, trackingOf, type Condition } from '../comparison/index.js';
import { failOperation } from '../operation/index.js';
import { parseReadableParts } from './readable-application.js';
import type { ReconcileContext, RequeueAfter } from './reconcile-context.js';
import type { ReconcileCache } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';
import { writeOutcome } from './write-outcome.js';

const MIN_RETRY_DELAY = 5000;
const MAX_RETRY_DELAY = 180_000;

/** The spec is invalid, or its project does not allow it: nothing is compared, and an operation ends with Error. */
export async function reportRejection(
  object: KubeObject,
  conditions: readonly Condition[],
  cache: ReconcileCache,
  context: ReconcileContext,
): Promise<void> {
  cache.update({ head: undefined, comparedState: undefined });
  const application = parseReadableParts(object);
  const message = conditions.map((condition) => condition.message).join('; ');
  const update = await writeOutcome(
    application,
    {
      sync: 'Unknown',
      health: { status: 'Unknown' },
      conditions,
      comparedState: { resources: [] },
      revisions: [],
      sourceTypes: [],
    },
    context,
    {
      isRefresh: cache.values.refresh !== undefined,
      operation: failOperation(application, message, context.clock.now()),
    },
  );
  cache.update(update);
}

/**
 * The head cannot be rendered or compared: a ComparisonError, and an operation ends with Error. While a repository is
 * unreachable, the last status stays for as long as the settings say.
 */
export async function reportComparisonError(
  application: Application,
  fault: Fault,
  reconciliation: Reconciliation | undefined,
  cache: ReconcileCache,
  context: ReconcileContext,
): Promise<RequeueAfter> {
  const now = context.clock.steady();
  const { refresh, failingSince = now } = cache.values;
  cache.update({ failingSince });
  const delay = fault.retry ? Math.max(MIN_RETRY_DELAY, now - failingSince) : MAX_RETRY_DELAY;
  const requeue = { milliseconds: Math.min(MAX_RETRY_DELAY, delay) };
  const isPatient =
    fault.code === 'SOURCE_UNREACHABLE' &&
    refresh === undefined &&
    application.operation === undefined &&
    application.syncStatus !== undefined;
  if (isPatient && now - failingSince < context.controlPlane.settings.repoErrorGracePeriod) return requeue;
  const resources =
    reconciliation === undefined
      ? []
      : liveResources({ ...reconciliation, tracking: trackingOf(context.controlPlane.settings) });
  const message = faultText(fault);
  cache.update({ head: undefined });
  const update = await writeOutcome(
    application,
    {
      sync: 'Unknown',
      health: resources.length === 0 ? { status: 'Unknown' } : healthOf(resources, application),
      conditions: [{ type: 'ComparisonError', message }],
      revisions: [],
      sourceTypes: [],
      ...(reconciliation === undefined ? {} : { comparedState: { resources } }),
    },
    context,
    { isRefresh: refresh !== undefined, operation: failOperation(application, message, context.clock.now()) },
  );
  cache.update(update);
  return requeue;
}
