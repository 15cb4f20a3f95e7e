import { Fault } from '../../model/faults/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import { parseApplication, type Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import { ClusterError } from '../../cluster/index.js';
import { needsTargets, planDeletion, type DeletionPlan, type SyncStep } from '../../plan/index.js';
import { instanceName, violationIn, type Admission, type Admitted } from './admission.js';
import { writeApplication } from './write-application.js';
import type { ClusterCache } from '../cache/index.js';
import { writeConditions, type Condition, RelatedObjects, assessWith } from '../comparison/index.js';
import { countRequest } from '../telemetry/index.js';
import { formatNow, logOf, type ReconcileContext, type RequeueAfter } from './reconcile-context.js';
import { renderHead, openReconciliation } from './reconciliation.js';
import type { ReconcileState } from './reconcile-state.js';
import { runGroups } from '../operation/index.js';

const RETRY_DELAY = 5000;
/** How long what a deletion needs may be away before it is told. */
const ERROR_GRACE_PERIOD = 10_000;

/**
 * The next stage of an application that goes: hooks before, its objects by waves, hooks after, and then its finalizers.
 */
export async function deleteApplication(
  object: KubeObject,
  admission: Admission,
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  if (desk.isReadOnly() || (object.metadata.finalizers ?? []).length === 0) return {};
  let application: Application;
  try {
    application = parseApplication(object);
  } catch (error) {
    // Whatever it delivered cannot be found without its destination; it says so until somebody repairs it or drops the
    // finalizer.
    if (!(error instanceof Fault)) throw error;
    await writeDeletionStatus(object, [{ type: 'DeletionError', message: error.message }], desk, []);
    return {};
  }
  const pause = (record.deleteNotBefore ?? 0) - desk.clock.steady();
  if (pause > 0) return { milliseconds: pause };
  try {
    const next = await continueDeletion(application, admission, record, desk);
    record.failingSince = undefined;
    return next;
  } catch (error) {
    if (!(error instanceof Fault) || (error instanceof ClusterError && error.isConflict)) throw error;
    // A moment without an answer is nobody's business; whoever waits longer is told for what.
    record.failingSince ??= desk.clock.steady();
    if (error.retry && desk.clock.steady() - record.failingSince < ERROR_GRACE_PERIOD) throw error;
    await writeDeletionStatus(
      object,
      [{ type: 'DeletionError', message: error.where === '' ? error.message : `${error.message} (${error.where})` }],
      desk,
      [],
    );
    return { milliseconds: RETRY_DELAY };
  }
}

async function continueDeletion(
  application: Application,
  admission: Admission,
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  const { object } = application;
  const view = await clusterCacheOf(application, desk);
  if (view !== undefined && admission.kind === 'refused') {
    await writeDeletionStatus(
      object,
      [
        {
          type: 'DeletionError',
          message:
            'what may be deleted cannot be told: ' + `${admission.conditions.map(({ message }) => message).join('; ')}`,
        },
      ],
      desk,
      [],
    );
    return {};
  }
  const admitted = admission.kind === 'admitted' ? admission.admitted : undefined;
  const objectionTo =
    admitted === undefined || view === undefined ? (): undefined => undefined : violationIn(admitted, view);
  const move = planDeletion({
    application,
    isClusterKnown: view !== undefined,
    findViolation: objectionTo,
    live: (view?.ownedBy(instanceName(application, desk.controlNamespace)) ?? []).filter(
      (live) => isTopLevel(live) && objectionTo(live) === undefined,
    ),
    targets:
      admitted !== undefined && needsTargets(application) ? await renderTargetObjects(admitted, record, desk) : [],
    assess:
      view === undefined
        ? () => undefined
        : assessWith(new RelatedObjects(view), desk.assessor(), desk.controlPlane.settings.improvements),
  });
  // A hook that failed is removed and made again, but not at once.
  if (move.condition !== undefined) record.deleteNotBefore = desk.clock.steady() + RETRY_DELAY;
  return runDeletion(application, move, view, desk);
}

function isTopLevel({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

/** Undefined where the destination names no cluster that is known; one that does not answer is waited for. */
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
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<KubeObject[]> {
  const { targets } = await renderHead(await openReconciliation(admitted, desk, record));
  return targets.targets.map(({ object }) => object);
}

async function runDeletion(
  application: Application,
  move: DeletionPlan,
  view: ClusterCache | undefined,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  const steps = move.steps.filter((step): step is Extract<typeof step, SyncStep> => step.kind !== 'drop-finalizers');
  const dropped = move.steps.flatMap((step) => (step.kind === 'drop-finalizers' ? step.finalizers : []));
  const problems: Condition[] = move.condition === undefined ? [] : [move.condition];
  if (view !== undefined && steps.length > 0) {
    const outcomes = await runGroups([steps], {
      clusterCache: view,
      writer: '',
      report: reportTo(logOf(application, desk)),
      mayWrite: () => !desk.isReadOnly(),
      onRequest: (request) => {
        countRequest(desk.metrics, application, view.server, false, request);
      },
    });
    for (const { isDone, message } of outcomes) if (!isDone) problems.push({ type: 'DeletionError', message });
  }
  await writeDeletionStatus(application.object, problems, desk, dropped);
  return dropped.length > 0 ? { milliseconds: 0 } : { milliseconds: RETRY_DELAY };
}

/** What went wrong stays told until the deletion got further. */
async function writeDeletionStatus(
  object: KubeObject,
  conditions: readonly Condition[],
  desk: ReconcileContext,
  dropped: readonly string[],
): Promise<void> {
  const before = isObject(object.status) ? object.status.conditions : undefined;
  const others = isArray(before)
    ? before.filter(
        (each) =>
          isObject(each) && (each.type !== 'DeletionError' || (conditions.length === 0 && dropped.length === 0)),
      )
    : [];
  const next = [...others, ...writeConditions(conditions, before, formatNow(desk))];
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
    desk,
  );
}
