import { Fault, faultText } from '../../model/faults/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import { parseApplication, type Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import { ClusterError } from '../../cluster/index.js';
import { needsTargets, planDeletion, type DeletionPlan, type SyncStep } from '../../plan/index.js';
import { instanceName, violationIn, type Admission, type Admitted } from './admission.js';
import { deliveryRights, requireRights, type DeliveryRights } from './delivery-rights.js';
import { writeApplication } from './write-application.js';
import type { ClusterCache } from '../cache/index.js';
import { writeConditions, type Condition, RelatedObjects, assessWith } from '../comparison/index.js';
import { auditName, countRequest, findRefused } from '../telemetry/index.js';
import { formatNow, logOf, type ReconcileContext, type RequeueAfter } from './reconcile-context.js';
import { renderRequestedHead, requestHead } from './head-request.js';
import { openReconciliation } from './reconciliation.js';
import type { ReconcileCache } from './reconcile-memory.js';
import { runGroups } from '../operation/index.js';

const RETRY_DELAY = 5000;
/** Milliseconds that a Fault may last before it is reported. */
const ERROR_GRACE_PERIOD = 10_000;

/**
 * The next step of deleting an application: PreDelete hooks, its objects by waves, PostDelete hooks, and then its
 * finalizers. A Fault becomes a DeletionError and is retried; one that a retry can cure is reported after a grace
 * period.
 */
export async function deleteApplication(
  object: KubeObject,
  admission: Admission,
  cache: ReconcileCache,
  context: ReconcileContext,
): Promise<RequeueAfter> {
  if (context.isReadOnly() || (object.metadata.finalizers ?? []).length === 0) return {};
  let application: Application;
  try {
    application = parseApplication(object);
  } catch (error) {
    // Without a destination its objects cannot be found: someone has to fix the spec or remove the finalizer.
    if (!(error instanceof Fault)) throw error;
    await writeDeletionStatus(object, [{ type: 'DeletionError', message: error.message }], context, []);
    return {};
  }
  const pause = (cache.values.deleteNotBefore ?? 0) - context.clock.steady();
  if (pause > 0) return { milliseconds: pause };
  try {
    const next = await continueDeletion(application, admission, cache, context);
    cache.update({ failingSince: undefined });
    return next;
  } catch (error) {
    if (!(error instanceof Fault) || (error instanceof ClusterError && error.isConflict)) throw error;
    const now = context.clock.steady();
    const { failingSince = now } = cache.values;
    cache.update({ failingSince });
    if (error.retry && now - failingSince < ERROR_GRACE_PERIOD) throw error;
    const message = faultText(error);
    const refusal = findRefused([message]);
    if (refusal !== undefined) context.audit.refused(object, 'delete', refusal);
    await writeDeletionStatus(object, [{ type: 'DeletionError', message }], context, []);
    return { milliseconds: RETRY_DELAY };
  }
}

async function continueDeletion(
  application: Application,
  admission: Admission,
  cache: ReconcileCache,
  context: ReconcileContext,
): Promise<RequeueAfter> {
  const { object } = application;
  const clusterCache = await clusterCacheOf(application, context);
  if (clusterCache !== undefined && admission.kind === 'refused') {
    // Without its project nobody knows what it may delete.
    const reasons = admission.conditions.map(({ message }) => message).join('; ');
    const message = `cannot determine what may be deleted: ${reasons}`;
    context.audit.refused(object, 'delete', message);
    await writeDeletionStatus(object, [{ type: 'DeletionError', message }], context, []);
    return {};
  }
  const admitted = admission.kind === 'admitted' ? admission.admitted : undefined;
  const findViolation =
    admitted === undefined || clusterCache === undefined
      ? (): undefined => undefined
      : violationIn(admitted, clusterCache);
  const plan = planDeletion({
    application,
    isClusterKnown: clusterCache !== undefined,
    findViolation,
    live: (clusterCache?.ownedBy(instanceName(application, context.controlNamespace)) ?? []).filter(
      (live) => isTopLevel(live) && findViolation(live) === undefined,
    ),
    targets:
      admitted !== undefined && needsTargets(application) ? await renderTargetObjects(admitted, cache, context) : [],
    assess:
      clusterCache === undefined
        ? () => undefined
        : assessWith(new RelatedObjects(clusterCache), context.assessor(), context.controlPlane.settings.improvements),
  });
  // A failed hook is deleted and created again, but not at once.
  if (plan.condition !== undefined) cache.update({ deleteNotBefore: context.clock.steady() + RETRY_DELAY });
  const rights =
    admitted === undefined || clusterCache === undefined ? undefined : deliveryRights(admitted, clusterCache, context);
  return runDeletion(application, plan, clusterCache, rights, context);
}

function isTopLevel({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

/** Undefined if the destination names an unknown cluster; one that does not answer is a Fault. */
async function clusterCacheOf(
  application: Application,
  { clusters }: ReconcileContext,
): Promise<ClusterCache | undefined> {
  try {
    return await clusters.cacheOf(clusters.find(application.destination));
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALUE_INVALID') return undefined;
    throw error;
  }
}

async function renderTargetObjects(
  admitted: Admitted,
  cache: ReconcileCache,
  context: ReconcileContext,
): Promise<KubeObject[]> {
  const reconciliation = await openReconciliation(admitted, context, cache.values.compiledRules);
  const request = requestHead(cache, reconciliation);
  cache.update({ staleSince: request.render?.askedSince });
  const { head, cache: update } = await renderRequestedHead(reconciliation, request, cache);
  cache.update(update);
  return head.targets.targets.map(({ object }) => object);
}

async function runDeletion(
  application: Application,
  plan: DeletionPlan,
  clusterCache: ClusterCache | undefined,
  rights: DeliveryRights | undefined,
  context: ReconcileContext,
): Promise<RequeueAfter> {
  const steps = plan.steps.filter((step): step is Extract<typeof step, SyncStep> => step.kind !== 'drop-finalizers');
  const dropped = plan.steps.flatMap((step) => (step.kind === 'drop-finalizers' ? step.finalizers : []));
  const problems: Condition[] = plan.condition === undefined ? [] : [plan.condition];
  if (clusterCache !== undefined && rights !== undefined && steps.length > 0) {
    const outcomes = await runGroups([steps], {
      clusterCache,
      cluster: requireRights(rights, 'cannot apply impersonation'),
      writer: '',
      report: reportTo(logOf(application, context)),
      mayWrite: () => !context.isReadOnly(),
      onRequest: (request) => {
        countRequest(context.metrics, application, clusterCache.server, false, request);
      },
    });
    const deleted = outcomes.filter(({ step, isDone }) => isDone && step.kind === 'prune').map(({ step }) => step.task);
    if (deleted.length > 0)
      context.audit.changed(application.object, 'delete', {
        pruned: deleted.map(({ key }) => auditName(key)),
        message: `${deleted.length} objects`,
      });
    for (const { isDone, message } of outcomes) if (!isDone) problems.push({ type: 'DeletionError', message });
  }
  const refusal = findRefused(problems.map(({ message }) => message));
  if (refusal !== undefined) context.audit.refused(application.object, 'delete', refusal);
  await writeDeletionStatus(application.object, problems, context, dropped);
  if (dropped.length > 0 && dropped.length === application.object.metadata.finalizers?.length)
    context.audit.changed(application.object, 'delete', { result: 'Succeeded' });
  return dropped.length > 0 ? { milliseconds: 0 } : { milliseconds: RETRY_DELAY };
}

/** A DeletionError stays until the deletion makes progress. */
async function writeDeletionStatus(
  object: KubeObject,
  conditions: readonly Condition[],
  context: ReconcileContext,
  dropped: readonly string[],
): Promise<void> {
  const before = isObject(object.status) ? object.status.conditions : undefined;
  const others = isArray(before)
    ? before.filter(
        (each) =>
          isObject(each) && (each.type !== 'DeletionError' || (conditions.length === 0 && dropped.length === 0)),
      )
    : [];
  const next = [...others, ...writeConditions(conditions, before, formatNow(context))];
  const isNew = JSON.stringify(isArray(before) ? before : []) !== JSON.stringify(next);
  const finalizers = object.metadata.finalizers ?? [];
  if (!isNew && dropped.length === 0) return;
  const { namespace = '', name = '', uid = '' } = object.metadata;
  await writeApplication(
    { object, namespace, name, uid },
    {
      ...(isNew ? { status: { conditions: next } } : {}),
      ...(dropped.length === 0 ? {} : { finalizers: finalizers.filter((each) => !dropped.includes(each)) }),
    },
    context,
  );
}
