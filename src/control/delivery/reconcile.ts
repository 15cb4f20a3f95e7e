import { ClusterError } from '../../cluster/index.js';
import { equal, isObject, type JsonObject } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  isCompleted,
  readOperation,
  type Application,
  type Operation,
  type OperationState,
} from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { maySupersede } from '../../plan/index.js';
import { admitApplication, isReconcileSkipped, type Admitted } from './admission.js';
import type { Condition, ComparedState } from '../comparison/index.js';
import { decide } from './decide.js';
import { deleteApplication } from './delete-application.js';
import type { ReconcileContext, RequeueAfter } from './reconcile-context.js';
import { startOperation, resourceKeys, operate, terminateOperation } from './operate.js';
import {
  compare,
  useGivenManifests,
  renderHead,
  renderPinned,
  openReconciliation,
  type Reconciliation,
} from './reconciliation.js';
import type { ReconcileState, RenderedTargets } from './reconcile-state.js';
import { isUnchanged, recordUnchanged } from './is-unchanged.js';
import { failedOperation, REFRESH_ANNOTATION, writeStatus, writeFailure, writeRejection } from './write-status.js';

/**
 * One pass over one application: checkout, render, pair, compare, assess, next move, run, write the status. It reads
 * the whole truth each time, so a first look, a retry and a restart are the same.
 */
export async function reconcile(
  object: KubeObject,
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<RequeueAfter> {
  if (isReconcileSkipped(object)) return {};
  recordRefresh(object, record, desk);
  if (isSyncRequested(object)) record.staleSince ??= desk.clock.steady();
  const admission = admitApplication(object, desk);
  if (
    object.metadata.deletionTimestamp !== undefined &&
    !(admission.kind === 'admitted' && isOperating(admission.admitted.application))
  )
    return deleteApplication(object, admission, record, desk);
  if (admission.kind === 'refused') return writeRejection(object, admission.conditions, record, desk);
  if (admission.admitted.cluster.isSkipped) return {};
  desk.watchRepositories(
    object,
    new Set(
      admission.admitted.application.sources.flatMap(({ repoURL }) => (typeof repoURL === 'string' ? [repoURL] : [])),
    ),
  );
  if (await isUnchanged(admission.admitted, record, desk)) return {};
  const looked = await compareHead(admission.admitted, record, desk);
  if (looked.kind === 'failed') return writeFailure(admission.admitted.application, looked, record, desk);
  const { pass, head, seen } = looked;
  try {
    const next = await decideAndOperate(pass, head, seen);
    recordUnchanged(pass, next);
    return next;
  } catch (error) {
    // What an operation asks for cannot be made: a revision that does not exist, a source that cannot be rendered.
    if (!(error instanceof Fault) || error.retry || error instanceof ClusterError) throw error;
    const operated = failedOperation(pass.application, error.message, desk);
    return writeStatus(pass, head, seen, {
      conditions: [],
      ...(operated === undefined ? {} : { operation: operated }),
    });
  }
}

type CompareOutcome =
  | {
      readonly kind: 'seen';
      readonly pass: Reconciliation;
      readonly head: RenderedTargets;
      readonly seen: ComparedState;
    }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly pass: Reconciliation | undefined };

/** What git wants and what the cluster has, or why that cannot be said. */
async function compareHead(
  admitted: Admitted,
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<CompareOutcome> {
  let pass: Reconciliation | undefined;
  try {
    pass = await openReconciliation(admitted, desk, record);
    const head = await renderHead(pass);
    const seen = await compare(pass, head, record.comparedState);
    record.failingSince = undefined;
    record.comparedState = seen;
    record.resourceTopics = resourceKeys(seen);
    return { kind: 'seen', pass, head, seen };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'failed', fault: error, pass };
  }
}

function recordRefresh({ metadata }: KubeObject, record: ReconcileState, { clock }: ReconcileContext): void {
  const asked = metadata.annotations?.[REFRESH_ANNOTATION];
  if (asked === undefined) record.refresh = undefined;
  else record.refresh ??= { kind: asked === 'hard' ? 'hard' : 'normal', at: clock.steady() };
}

/** A sync that has not begun yet: it is for the newest commits. */
function isSyncRequested({ operation, status }: KubeObject): boolean {
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return isObject(operation) && (state === undefined || isCompleted(state.phase));
}

/** Begins, goes on with or leaves alone an operation, and tells how the application stands. */
async function decideAndOperate(
  pass: Reconciliation,
  head: RenderedTargets,
  seen: ComparedState,
): Promise<RequeueAfter> {
  const { application, context } = pass;
  if (context.isReadOnly()) return {};
  if (isOperating(application)) return continueOperation(await terminateWhenDeleted(pass), head, seen);
  if (application.operation !== undefined) return startRequested(pass, application.operation, head, seen);
  const next = decide(pass, head, seen);
  if (next.operation === undefined)
    return writeStatus(pass, head, seen, {
      conditions: next.conditions,
      ...(next.requeueAt === undefined ? {} : { requeueAt: next.requeueAt }),
    });
  return continueOperation(
    await startOperation(pass, next.operation, head, application.sources),
    head,
    seen,
    next.conditions,
  );
}

function isOperating({ operationState }: Application): boolean {
  return operationState !== undefined && !isCompleted(operationState.phase);
}

/** An application that goes does not wait for the end of its sync. */
async function terminateWhenDeleted(pass: Reconciliation): Promise<Reconciliation> {
  const { application } = pass;
  if (application.object.metadata.deletionTimestamp === undefined || application.operationState?.phase !== 'Running')
    return pass;
  return terminateOperation(pass, 'the application is being deleted');
}

/** A request of a person: at the revision that it names, or at the newest, which the look was made with. */
async function startRequested(
  pass: Reconciliation,
  operation: Operation,
  head: RenderedTargets,
  seen: ComparedState,
): Promise<RequeueAfter> {
  const { sync } = operation;
  const { application } = pass;
  const revisions = sync.revisions.length > 0 ? sync.revisions : sync.revision === '' ? [] : [sync.revision];
  if (sync.manifests.length > 0)
    return continueOperation(
      await startOperation(pass, operation, useGivenManifests(pass, sync.manifests), application.sources),
      head,
      seen,
    );
  const sources =
    sync.sources.length === 0 || areSame(sync.sources, application.sources) ? application.sources : sync.sources;
  if (revisions.length > 0 || sources !== application.sources) {
    return continueOperation(
      await startOperation(pass, operation, await renderPinned(pass, sources, revisions, true), sources),
      head,
      seen,
    );
  }
  return continueOperation(await startOperation(pass, operation, head, application.sources), head, seen);
}

function areSame(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return equal([...a], [...b]);
}

/** Goes on with an operation and tells how it stands. */
async function continueOperation(
  begun: Reconciliation,
  head: RenderedTargets,
  seen: ComparedState,
  conditions: readonly Condition[] = [],
): Promise<RequeueAfter> {
  const progress = await operate(begun, seen);
  const { reconciliation, parsed } = progress;
  const { reconcileState, context } = reconciliation;
  const revisions = head.rendered.sources.map(({ revision }) => revision);
  // Whoever names another source begins something else: what runs is not a step on the way to it.
  const isSameSource = areSame(parsed.sources, reconciliation.application.sources);
  if (
    context.controlPlane.settings.improvements.supersede &&
    isSameSource &&
    maySupersede(parsed, revisions, progress.move)
  )
    return continueOperation(await supersede(reconciliation, parsed, head), head, seen);
  const observation = progress.targets === head ? progress.comparedState : await compare(reconciliation, head, seen);
  reconcileState.comparedState = observation;
  reconcileState.resourceTopics = resourceKeys(observation);
  if (isCompleted(parsed.phase)) {
    reconcileState.running = undefined;
    reconcileState.awaitedTopics = new Set();
  }
  return writeStatus(reconciliation, head, observation, {
    conditions,
    operation: progress,
    ...(progress.requeueAt === undefined ? {} : { requeueAt: progress.requeueAt }),
  });
}

/** A newer commit takes the place of a sync that only waits: the same request, at the newest revisions. */
function supersede(
  pass: Reconciliation,
  { operation }: OperationState,
  head: RenderedTargets,
): Promise<Reconciliation> {
  const sync = isObject(operation.raw.sync) ? operation.raw.sync : {};
  const { revision: _revision, revisions: _revisions, resources: _resources, ...rest } = sync;
  const revisions = head.rendered.sources.map(({ revision }) => revision);
  const pinned = pass.application.hasManySources ? { revisions } : { revision: revisions[0] ?? '' };
  return startOperation(
    pass,
    readOperation({ ...operation.raw, sync: { ...rest, ...pinned } }, 'operation'),
    head,
    pass.application.sources,
  );
}
