import { ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { failOperation } from '../operation/index.js';
import { admit } from './admit.js';
import { compare } from './compare.js';
import { decide } from './decide.js';
import { deleteApplication } from './delete-application.js';
import { operate } from './operate.js';
import type { ReconcileContext, RequeueAfter } from './reconcile-context.js';
import type { ReconcileCache, ReconcileMemory } from './reconcile-memory.js';
import { render } from './render.js';
import { reportComparisonError, reportRejection } from './report-fault.js';
import { resolve } from './resolve.js';
import type {
  AdmittedApplication,
  ComparedApplication,
  DecidedApplication,
  OperatedApplication,
  ReconcileRequest,
  RenderedApplication,
  ResolvedApplication,
  SubReconciler,
  SubResult,
} from './sub-reconciler.js';
import { writeStatus } from './write-status.js';

interface Step<In, Out> {
  readonly name: string;
  readonly run: SubReconciler<In, Out>;
  /** What a Fault that it throws causes. */
  readonly onFault: (fault: Fault, values: In, cache: ReconcileCache) => Promise<SubResult<never>>;
}

type Ended = Exclude<SubResult<unknown>, { kind: 'next' }>;

type Steps = readonly [
  Step<ReconcileRequest, AdmittedApplication>,
  Step<AdmittedApplication, ResolvedApplication>,
  Step<ResolvedApplication, RenderedApplication>,
  Step<RenderedApplication, ComparedApplication>,
  Step<ComparedApplication, DecidedApplication>,
  Step<DecidedApplication, OperatedApplication>,
  Step<OperatedApplication, never>,
];

/**
 * The sub-reconcilers of an Application, in order. Each one takes the values of those before it, adds its own, and
 * knows none of the others; what several of them need is in files that are not in this list. They read the cache and
 * return updates of it, never write it: that is done here, in `report-fault.ts` and in `delete-application.ts`.
 * `operate` alone writes the operation slot. Everything is derived from the Application, git and the cluster each time:
 * the first reconcile, a retry and one after a restart are the same.
 */
export const SUB_RECONCILERS: Steps = [
  // Is it reconciled, and do its spec and its project allow it?
  { name: 'admit', run: admit, onFault: rethrow },
  // Which revisions are needed: the head of its sources, and those of an operation? Has anything changed at all?
  { name: 'resolve', run: resolve, onFault: writeComparisonError },
  // The targets at these revisions.
  { name: 'render', run: render, onFault: writeComparisonError },
  // The targets against the live objects, with health and conditions.
  { name: 'compare', run: compare, onFault: writeComparisonError },
  // Start an operation, continue one, or do nothing?
  { name: 'decide', run: decide, onFault: writeOperationError },
  // Run it until it is over or waits, and compare what has changed.
  { name: 'operate', run: operate, onFault: writeOperationError },
  // Write the status, if it differs.
  { name: 'writeStatus', run: writeStatus, onFault: rethrow },
];

/**
 * Reconciles one Application. The result says when to reconcile it again if nothing changes before that; without a time
 * it is enqueued by changes only: of itself, its repositories, its objects, settings, projects and clusters.
 *
 * What a sub-reconciler returns:
 * - `next`: its values go to the next one. Whatever it returns, its cache update is applied first.
 * - `done`: the reconcile ends. With `requeue` the application is enqueued again after that time.
 * - `again`: the list starts over at once with the object that was just written: a newer commit superseded a sync.
 * - `rejected`: conditions are written (InvalidSpecError), sync and health are Unknown, an operation ends with Error.
 *   Nothing is requeued: only a change can help.
 * - `deleting`: the Application has a deletion timestamp: finalizers are worked off instead (`deleteApplication`).
 *
 * What it throws:
 * - a Fault in resolve, render or compare: a ComparisonError is written, and an operation ends with Error. Requeued
 *   after 5 s to 3 min, longer the longer it lasts. An unreachable repository is reported after a grace period.
 * - a Fault in decide or operate that no retry can cure: the operation ends with Error and the list continues with
 *   `writeStatus`. Other Faults, and those of the API server, are thrown on.
 * - OutdatedError: someone else wrote meanwhile. Thrown on; the controller reconciles again at once.
 * - anything else is thrown on; the queue logs it and retries with exponential backoff, 200 ms to 60 s.
 */
export async function reconcileApplication(
  object: KubeObject,
  { cache, operation }: ReconcileMemory,
  context: ReconcileContext,
): Promise<RequeueAfter> {
  for (let current = object; ; ) {
    const result = await runSubReconcilers({ object: current, cache, operation, context }, cache);
    switch (result.kind) {
      case 'again':
        current = result.object;
        continue;
      case 'rejected':
        await reportRejection(current, result.conditions, cache, context);
        return {};
      case 'deleting':
        return deleteApplication(current, result.admission, cache, context);
      case 'done':
        return result.requeue ?? {};
      default:
        return result satisfies never;
    }
  }
}

async function runSubReconcilers(request: ReconcileRequest, cache: ReconcileCache): Promise<Ended> {
  let values: unknown = request;
  // Each step takes what the one before it gives: the type of the list says so.
  for (const step of SUB_RECONCILERS as readonly Step<unknown, unknown>[]) {
    const result = await runStep(step, values, cache);
    if (result.cache !== undefined) cache.update(result.cache);
    if (result.kind !== 'next') return result;
    ({ values } = result);
  }
  return { kind: 'done' };
}

async function runStep(
  { run, onFault }: Step<unknown, unknown>,
  values: unknown,
  cache: ReconcileCache,
): Promise<SubResult<unknown>> {
  try {
    return await run(values);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return onFault(error, values, cache);
  }
}

function rethrow(fault: Fault): Promise<never> {
  throw fault;
}

async function writeComparisonError(
  fault: Fault,
  values: AdmittedApplication | ResolvedApplication,
  cache: ReconcileCache,
): Promise<SubResult<never>> {
  const reconciliation = 'clusterCache' in values ? values : undefined;
  const requeue = await reportComparisonError(values.application, fault, reconciliation, cache, values.context);
  return { kind: 'done', requeue };
}

/** For example a revision that does not exist, or a source that cannot be rendered there. */
async function writeOperationError(fault: Fault, values: ComparedApplication): Promise<SubResult<never>> {
  if (fault.retry || fault instanceof ClusterError) throw fault;
  const { application, context } = values;
  const operationUpdate = failOperation(application, fault.message, context.clock.now());
  return writeStatus({ ...values, conditions: [], ...(operationUpdate === undefined ? {} : { operationUpdate }) });
}
