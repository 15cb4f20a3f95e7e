import { Fault, isArray, isObject, parseApplication, type Application, type KubeObject } from '../../model/index.js';
import { ClusterError } from '../../cluster/index.js';
import { needsTargets, nextDeletion, type DeletionMove, type Step } from '../../plan/index.js';
import { instanceName, objectionIn, type Admission, type Admitted } from './admit.js';
import { writeApplication } from './application-writer.js';
import type { ClusterView } from './cluster-view.js';
import { writeConditions, type Condition } from './condition.js';
import { countRequest } from './delivery-metrics.js';
import { nowText, type Desk, type NextLook } from './desk.js';
import { Facts } from './facts.js';
import { assessIn } from './observe.js';
import { makeHead, openPass } from './pass.js';
import type { ApplicationRecord } from './record.js';
import { runGroups } from './run-steps.js';

const AGAIN_AFTER = 5000;
/** How long what a deletion needs may be away before it is told. */
const PATIENCE = 10_000;

/**
 * The next stage of an application that goes: hooks before, its objects by waves, hooks after, and then its finalizers.
 */
export async function deleteApplication(
  object: KubeObject,
  admission: Admission,
  record: ApplicationRecord,
  desk: Desk,
): Promise<NextLook> {
  if (desk.isReadOnly() || (object.metadata.finalizers ?? []).length === 0) return {};
  let application: Application;
  try {
    application = parseApplication(object);
  } catch (error) {
    // Whatever it delivered cannot be found without its destination; it says so until somebody repairs it or drops the
    // finalizer.
    if (!(error instanceof Fault)) throw error;
    await tellConditions(object, [{ type: 'DeletionError', message: error.message }], desk, []);
    return {};
  }
  const pause = (record.deleteNotBefore ?? 0) - desk.clock.steady();
  if (pause > 0) return { afterMilliseconds: pause };
  try {
    const next = await goOn(application, admission, record, desk);
    record.brokenSince = undefined;
    return next;
  } catch (error) {
    if (!(error instanceof Fault) || (error instanceof ClusterError && error.isConflict)) throw error;
    // A moment without an answer is nobody's business; whoever waits longer is told for what.
    record.brokenSince ??= desk.clock.steady();
    if (error.retry && desk.clock.steady() - record.brokenSince < PATIENCE) throw error;
    await tellConditions(
      object,
      [{ type: 'DeletionError', message: error.where === '' ? error.message : `${error.message} (${error.where})` }],
      desk,
      [],
    );
    return { afterMilliseconds: AGAIN_AFTER };
  }
}

async function goOn(
  application: Application,
  admission: Admission,
  record: ApplicationRecord,
  desk: Desk,
): Promise<NextLook> {
  const { object } = application;
  const view = await viewOf(application, desk);
  if (view !== undefined && admission.kind === 'refused') {
    await tellConditions(
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
    admitted === undefined || view === undefined ? (): undefined => undefined : objectionIn(admitted, view);
  const move = nextDeletion({
    application,
    isClusterKnown: view !== undefined,
    objectionTo,
    live: (view?.ownedBy(instanceName(application, desk.controlNamespace)) ?? []).filter(
      (live) => isTopLevel(live) && objectionTo(live) === undefined,
    ),
    targets: admitted !== undefined && needsTargets(application) ? await targetsOf(admitted, record, desk) : [],
    assess:
      view === undefined
        ? () => undefined
        : assessIn(new Facts(view), desk.assessor(), desk.home.settings.improvements),
  });
  // A hook that failed is removed and made again, but not at once.
  if (move.condition !== undefined) record.deleteNotBefore = desk.clock.steady() + AGAIN_AFTER;
  return act(application, move, view, desk);
}

function isTopLevel({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

/** Undefined where the destination names no cluster that is known; one that does not answer is waited for. */
async function viewOf(application: Application, { clusters }: Desk): Promise<ClusterView | undefined> {
  try {
    return await clusters.view(clusters.find(application.destination));
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALUE_INVALID') return undefined;
    throw error;
  }
}

async function targetsOf(admitted: Admitted, record: ApplicationRecord, desk: Desk): Promise<KubeObject[]> {
  const { targets } = await makeHead(await openPass(admitted, record, desk));
  return targets.targets.map(({ object }) => object);
}

async function act(
  application: Application,
  move: DeletionMove,
  view: ClusterView | undefined,
  desk: Desk,
): Promise<NextLook> {
  const steps = move.steps.filter((step): step is Extract<typeof step, Step> => step.kind !== 'drop-finalizers');
  const dropped = move.steps.flatMap((step) => (step.kind === 'drop-finalizers' ? step.finalizers : []));
  const problems: Condition[] = move.condition === undefined ? [] : [move.condition];
  if (view !== undefined && steps.length > 0) {
    const outcomes = await runGroups([steps], {
      view,
      by: '',
      report: desk.report,
      mayWrite: () => !desk.isReadOnly(),
      count: (request) => {
        countRequest(desk.metrics, application, view.server, false, request);
      },
    });
    for (const { isDone, message } of outcomes) if (!isDone) problems.push({ type: 'DeletionError', message });
  }
  await tellConditions(application.object, problems, desk, dropped);
  return dropped.length > 0 ? { afterMilliseconds: 0 } : { afterMilliseconds: AGAIN_AFTER };
}

/** What went wrong stays told until the deletion got further. */
async function tellConditions(
  object: KubeObject,
  conditions: readonly Condition[],
  desk: Desk,
  dropped: readonly string[],
): Promise<void> {
  const before = isObject(object.status) ? object.status.conditions : undefined;
  const others = isArray(before)
    ? before.filter(
        (each) =>
          isObject(each) && (each.type !== 'DeletionError' || (conditions.length === 0 && dropped.length === 0)),
      )
    : [];
  const next = [...others, ...writeConditions(conditions, before, nowText(desk))];
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
