import { isCompleted, type OperationState } from '../../model/argo/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import type { KnownCause } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';

/**
 * Whether the cause of the last failure is different now: an object that it names was created, deleted, changed or has
 * another health, its kind is served, or a setting or project changed. Only the process that saw the failure knows what
 * the cause was; after a restart only time counts. Undefined if the last operation did not fail.
 */
export function compareFailureCause(
  reconciliation: Reconciliation,
  known: KnownCause | undefined,
): { readonly known: KnownCause; readonly isChanged: boolean } | undefined {
  const { operationState: state } = reconciliation.application;
  if (state === undefined || !isCompleted(state.phase) || state.phase === 'Succeeded') return undefined;
  const { startedAt } = state;
  const cause = failureCause(reconciliation, state);
  return known?.startedAt === startedAt
    ? { known, isChanged: known.cause !== cause }
    : { known: { startedAt, cause }, isChanged: false };
}

function failureCause({ clusterCache, assess, context }: Reconciliation, { results }: OperationState): string {
  const failed = results.filter(
    ({ status, hookPhase }) => status === 'SyncFailed' || hookPhase === 'Failed' || hookPhase === 'Error',
  );
  const factsOf = ({ group, version, kind, namespace, name }: Key & { readonly version: string }): string => {
    const isServed =
      clusterCache.kindOf({ apiVersion: group === '' ? version : `${group}/${version}`, kind }) !== undefined;
    const live = clusterCache.get({ group, kind, namespace, name });
    // A new status alone is not a change; objects without a generation change as a whole.
    const { uid = '', generation, resourceVersion = '' } = live?.metadata ?? {};
    return [
      group,
      kind,
      namespace,
      name,
      isServed,
      uid,
      generation ?? resourceVersion,
      live === undefined ? '' : (assess(live)?.status ?? ''),
    ].join(' ');
  };
  return [context.controlPlane.version, ...failed.map(factsOf)].join('\n');
}
