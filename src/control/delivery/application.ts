import { ClusterError } from '../../cluster/index.js';
import {
  equal,
  Fault,
  isCompleted,
  isObject,
  readOperation,
  type Application,
  type JsonObject,
  type KubeObject,
  type Operation,
  type OperationState,
} from '../../model/index.js';
import { maySupersede } from '../../plan/index.js';
import { admit, isReconcileSkipped, type Admitted } from './admit.js';
import type { Condition } from './condition.js';
import { decide } from './decide.js';
import { deleteApplication } from './delete-application.js';
import type { Desk, NextLook } from './desk.js';
import type { Observation } from './observe.js';
import { begin, keysOf, operate, terminate } from './operate.js';
import { look, makeGiven, makeHead, makePinned, openPass, type Pass } from './pass.js';
import type { ApplicationRecord, Made } from './record.js';
import { isStillSettled, noteSettled } from './settle.js';
import { failedOperation, REFRESH, tell, tellFailure, tellRefusal } from './tell.js';

/**
 * One pass over one application: checkout, render, pair, compare, assess, next move, run, write the status. It reads
 * the whole truth each time, so a first look, a retry and a restart are the same.
 */
export async function deliver(object: KubeObject, record: ApplicationRecord, desk: Desk): Promise<NextLook> {
  if (isReconcileSkipped(object)) return {};
  noteRefresh(object, record, desk);
  if (isRequested(object)) record.staleSince ??= desk.clock.steady();
  const admission = admit(object, desk.home, desk.clusters, desk.controlNamespace);
  if (
    object.metadata.deletionTimestamp !== undefined &&
    !(admission.kind === 'admitted' && isOperating(admission.admitted.application))
  )
    return deleteApplication(object, admission, record, desk);
  if (admission.kind === 'refused') return tellRefusal(object, admission.conditions, record, desk);
  if (admission.admitted.cluster.isSkipped) return {};
  desk.follow(
    object,
    new Set(
      admission.admitted.application.sources.flatMap(({ repoURL }) => (typeof repoURL === 'string' ? [repoURL] : [])),
    ),
  );
  if (await isStillSettled(admission.admitted, record, desk)) return {};
  const looked = await lookAtHead(admission.admitted, record, desk);
  if (looked.kind === 'failed') return tellFailure(admission.admitted.application, looked, record, desk);
  const { pass, head, seen } = looked;
  try {
    const next = await act(pass, head, seen);
    noteSettled(pass, next);
    return next;
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

/** A sync that has not begun yet: it is for the newest commits. */
function isRequested({ operation, status }: KubeObject): boolean {
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return isObject(operation) && (state === undefined || isCompleted(state.phase));
}

/** Begins, goes on with or leaves alone an operation, and tells how the application stands. */
async function act(pass: Pass, head: Made, seen: Observation): Promise<NextLook> {
  const { application, desk } = pass;
  if (desk.isReadOnly()) return {};
  if (isOperating(application)) return goOn(await endWhenDeleted(pass), head, seen);
  if (application.operation !== undefined) return beginRequested(pass, application.operation, head, seen);
  const next = decide(pass, head, seen);
  if (next.operation === undefined)
    return tell(pass, head, seen, {
      conditions: next.conditions,
      ...(next.askAgainAt === undefined ? {} : { askAgainAt: next.askAgainAt }),
    });
  return goOn(await begin(pass, next.operation, head, application.sources), head, seen, next.conditions);
}

function isOperating({ operationState }: Application): boolean {
  return operationState !== undefined && !isCompleted(operationState.phase);
}

/** An application that goes does not wait for the end of its sync. */
async function endWhenDeleted(pass: Pass): Promise<Pass> {
  const { application } = pass;
  if (application.object.metadata.deletionTimestamp === undefined || application.operationState?.phase !== 'Running')
    return pass;
  return terminate(pass, 'the application is being deleted');
}

/** A request of a person: at the revision that it names, or at the newest, which the look was made with. */
async function beginRequested(pass: Pass, operation: Operation, head: Made, seen: Observation): Promise<NextLook> {
  const { sync } = operation;
  const { application } = pass;
  const revisions = sync.revisions.length > 0 ? sync.revisions : sync.revision === '' ? [] : [sync.revision];
  if (sync.manifests.length > 0)
    return goOn(await begin(pass, operation, makeGiven(pass, sync.manifests), application.sources), head, seen);
  const sources =
    sync.sources.length === 0 || areSame(sync.sources, application.sources) ? application.sources : sync.sources;
  if (revisions.length > 0 || sources !== application.sources) {
    return goOn(await begin(pass, operation, await makePinned(pass, sources, revisions, true), sources), head, seen);
  }
  return goOn(await begin(pass, operation, head, application.sources), head, seen);
}

function areSame(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return equal([...a], [...b]);
}

/** Goes on with an operation and tells how it stands. */
async function goOn(
  begun: Pass,
  head: Made,
  seen: Observation,
  conditions: readonly Condition[] = [],
): Promise<NextLook> {
  const progress = await operate(begun, seen);
  const { pass, read } = progress;
  const { record, desk } = pass;
  const revisions = head.made.sources.map(({ revision }) => revision);
  // Whoever names another source begins something else: what runs is not a step on the way to it.
  const isSameSource = areSame(read.sources, pass.application.sources);
  if (desk.home.settings.improvements.supersede && isSameSource && maySupersede(read, revisions, progress.move))
    return goOn(await supersede(pass, read, head), head, seen);
  const observation = progress.made === head ? progress.observation : await look(pass, head, seen);
  record.observation = observation;
  record.wanted = keysOf(observation);
  if (isCompleted(read.phase)) {
    record.running = undefined;
    record.awaited = new Set();
  }
  return tell(pass, head, observation, {
    conditions,
    operated: progress,
    ...(progress.askAgainAt === undefined ? {} : { askAgainAt: progress.askAgainAt }),
  });
}

/** A newer commit takes the place of a sync that only waits: the same request, at the newest revisions. */
function supersede(pass: Pass, { operation }: OperationState, head: Made): Promise<Pass> {
  const sync = isObject(operation.raw.sync) ? operation.raw.sync : {};
  const { revision: _revision, revisions: _revisions, resources: _resources, ...rest } = sync;
  const revisions = head.made.sources.map(({ revision }) => revision);
  const pinned = pass.application.hasManySources ? { revisions } : { revision: revisions[0] ?? '' };
  return begin(
    pass,
    readOperation({ ...operation.raw, sync: { ...rest, ...pinned } }, 'operation'),
    head,
    pass.application.sources,
  );
}
