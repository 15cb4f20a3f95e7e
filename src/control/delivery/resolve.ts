import { equal, type JsonObject } from '../../model/json/index.js';
import type { Application, OperationState } from '../../model/argo/index.js';
import { resumeOperation, type Resumption } from '../../plan/index.js';
import { isOperating } from '../operation/index.js';
import { requestHead, type HeadRequest } from './head-request.js';
import type { ReconcileContext } from './reconcile-context.js';
import { openReconciliation, type Reconciliation } from './reconciliation.js';
import type { AdmittedApplication, OperationRequest, ResolvedApplication, SubResult } from './sub-reconciler.js';
import { findUnchanged } from './unchanged.js';

/**
 * Which revisions this reconcile needs: the head of the sources, and those of an operation. Ends it if nothing has
 * changed since the application was last found Synced and Healthy.
 */
export async function resolve(admitted: AdmittedApplication): Promise<SubResult<ResolvedApplication>> {
  const { application, cache, context } = admitted;
  context.watchRepositories(
    application.object,
    new Set(application.sources.flatMap(({ repoURL }) => (typeof repoURL === 'string' ? [repoURL] : []))),
  );
  const unchanged = await findUnchanged(admitted);
  if (unchanged !== undefined) return { kind: 'done', cache: unchanged };
  const reconciliation = await openReconciliation(admitted, context, cache.values.compiledRules);
  const operationRequest = operationRequestOf(application, context);
  const headRequest = headRequestOf(admitted, reconciliation, operationRequest);
  return {
    kind: 'next',
    values: { ...admitted, ...reconciliation, headRequest, operationRequest },
    cache: {
      compiledRules: reconciliation.compiledRules,
      relatedObjects: reconciliation.relatedObjects,
      staleSince: headRequest.render?.askedSince,
    },
  };
}

function operationRequestOf(application: Application, context: ReconcileContext): OperationRequest {
  const { operation, operationState: state } = application;
  if (context.isReadOnly()) return { kind: 'read-only' };
  if (state !== undefined && isOperating(application)) {
    const sources = requestedSources(application, state.operation.sync.sources);
    return { kind: 'resume', state, next: resumptionOf(application, state, context), sources };
  }
  if (operation === undefined) return { kind: 'none' };
  const { revision, revisions, sources } = operation.sync;
  return {
    kind: 'start',
    operation,
    sources: requestedSources(application, sources),
    revisions: revisions.length > 0 ? revisions : [revision].filter((each) => each !== ''),
  };
}

/** The same list where they are equal: targets of the head are found by it. */
function requestedSources({ sources }: Application, requested: readonly JsonObject[]): readonly JsonObject[] {
  return requested.length === 0 || equal([...requested], [...sources]) ? sources : requested;
}

/** A deletion does not wait for the end of a sync. */
function resumptionOf({ object }: Application, state: OperationState, context: ReconcileContext): Resumption {
  if (object.metadata.deletionTimestamp !== undefined && state.phase === 'Running')
    return { kind: 'terminate', message: 'the application is being deleted' };
  return resumeOperation(state, context.clock.now(), context.controlPlane.settings.syncTimeout);
}

/** A retried operation may want the newest revisions, whether or not the known head still counts. */
function headRequestOf(
  { cache, context }: AdmittedApplication,
  reconciliation: Reconciliation,
  request: OperationRequest,
): HeadRequest {
  const head = requestHead(cache, reconciliation);
  if (request.kind !== 'resume' || request.next.kind !== 'attempt' || !request.next.dropRevisions) return head;
  return { ...head, render: { isHard: head.render?.isHard === true, askedSince: context.clock.steady() } };
}
