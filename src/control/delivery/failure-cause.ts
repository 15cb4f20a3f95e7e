import { isCompleted, type OperationState } from '../../model/argo/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import type { Reconciliation } from './reconciliation.js';

/**
 * Whether what the last failure came from is different now: an object that it names was made, removed, changed or has
 * other health, its kind is served, or a setting or project changed. What it was is known only to the process that saw
 * the failure; after a restart time alone counts.
 */
export function isCauseChanged(pass: Reconciliation): boolean {
  const {
    application: { operationState: state },
    reconcileState,
  } = pass;
  if (state === undefined || !isCompleted(state.phase) || state.phase === 'Succeeded') return false;
  const cause = failureCause(pass, state);
  if (reconcileState.failure?.startedAt !== state.startedAt)
    reconcileState.failure = { startedAt: state.startedAt, cause };
  return reconcileState.failure.cause !== cause;
}

function failureCause({ clusterCache, assess, context }: Reconciliation, { results }: OperationState): string {
  const failed = results.filter(
    ({ status, hookPhase }) => status === 'SyncFailed' || hookPhase === 'Failed' || hookPhase === 'Error',
  );
  const factsOf = ({ group, version, kind, namespace, name }: Key & { readonly version: string }): string => {
    const isServed =
      clusterCache.kindOf({ apiVersion: group === '' ? version : `${group}/${version}`, kind }) !== undefined;
    const live = clusterCache.get({ group, kind, namespace, name });
    // A status that is written again and again is no change; a spec is, and what has none changes as a whole.
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
