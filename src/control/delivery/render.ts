import { Fault } from '../../model/faults/index.js';
import { renderRevisions, revisionsOf, useGivenManifests, type RenderedTargets } from './render-targets.js';
import { renderRequestedHead } from './head-request.js';
import type { CacheUpdate } from './reconcile-memory.js';
import type { OperationTargets, RenderedApplication, ResolvedApplication, SubResult } from './sub-reconciler.js';

/** Renders the head where the known one does not count, and what an operation delivers. */
export async function render(resolved: ResolvedApplication): Promise<SubResult<RenderedApplication>> {
  const { head, fault, cache } = await headOf(resolved);
  const operationTargets: OperationTargets | undefined =
    fault === undefined ? await operationTargetsOf(resolved, head) : { kind: 'fault', fault };
  const pinned =
    operationTargets?.kind === 'rendered' && operationTargets.targets !== head
      ? { pinned: operationTargets.targets }
      : {};
  return { kind: 'next', values: { ...resolved, head, operationTargets }, cache: { ...cache, ...pinned } };
}

interface Head {
  readonly head: RenderedTargets;
  /** Why a retried operation does not get the newest revisions. */
  readonly fault?: Fault;
  readonly cache?: CacheUpdate;
}

async function headOf(resolved: ResolvedApplication): Promise<Head> {
  const { headRequest, cache } = resolved;
  try {
    return await renderRequestedHead(resolved, headRequest, cache);
  } catch (error) {
    if (headRequest.known === undefined || !(error instanceof Fault)) throw error;
    return { head: headRequest.known, fault: error };
  }
}

async function operationTargetsOf(
  resolved: ResolvedApplication,
  head: RenderedTargets,
): Promise<OperationTargets | undefined> {
  try {
    const targets = await renderOperation(resolved, head);
    return targets === undefined ? undefined : { kind: 'rendered', targets };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'fault', fault: error };
  }
}

async function renderOperation(
  resolved: ResolvedApplication,
  head: RenderedTargets,
): Promise<RenderedTargets | undefined> {
  const { operationRequest: request, application, cache } = resolved;
  const { pinned: known } = cache.values;
  if (request.kind === 'none' || request.kind === 'read-only') return undefined;
  if (request.kind === 'start') {
    const { operation, sources, revisions } = request;
    if (operation.sync.manifests.length > 0) return useGivenManifests(resolved, operation.sync.manifests, known);
    if (revisions.length === 0 && sources === application.sources) return head;
    // The request may name branches; what is delivered is rendered from the commits, as after a restart.
    const requested = await renderRevisions(resolved, sources, revisions, { head, isNew: true });
    return renderRevisions(resolved, sources, revisionsOf(requested), { head, known: requested });
  }
  const { state, next, sources } = request;
  if (next.kind === 'wait') return undefined;
  const { manifests } = state.operation.sync;
  if (manifests.length > 0) return useGivenManifests(resolved, manifests, known);
  const revisions = next.kind === 'attempt' && next.dropRevisions ? revisionsOf(head) : state.revisions;
  return renderRevisions(resolved, sources, revisions, { head, known });
}
