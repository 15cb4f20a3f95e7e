import { isCompleted } from '../../model/argo/index.js';
import { isObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { isOperating } from '../operation/index.js';
import { admitApplication } from './admission.js';
import { REFRESH_ANNOTATION } from './reconcile-context.js';
import type { RefreshRequest } from './reconcile-memory.js';
import type { AdmittedApplication, ReconcileRequest, SubResult } from './sub-reconciler.js';

/** Whether the application is reconciled at all, and whether its spec and its project allow it. */
export async function admit(request: ReconcileRequest): Promise<SubResult<AdmittedApplication>> {
  const { object, cache, context } = request;
  if (isReconcileSkipped(object)) return { kind: 'done' };
  const update = {
    refresh: refreshRequest(request),
    // A requested sync is one to the newest commits.
    ...(isSyncRequested(object) ? { staleSince: cache.staleSince ?? context.clock.steady() } : {}),
  };
  // A refusal ends a requested sync for good, so a project that no watch has delivered yet is asked for.
  if (isSyncRequested(object)) await context.controlPlane.loadProject(textAt(object, 'spec', 'project') || 'default');
  const admission = admitApplication(object, context);
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  // An operation under way is terminated first, by the rest of the list.
  if (isDeleting && !(admission.kind === 'admitted' && isOperating(admission.admitted.application)))
    return { kind: 'deleting', admission, cache: update };
  if (admission.kind === 'refused') return { kind: 'rejected', conditions: admission.conditions, cache: update };
  if (admission.admitted.cluster.isSkipped) return { kind: 'done', cache: update };
  return { kind: 'next', values: { ...request, ...admission.admitted }, cache: update };
}

function isReconcileSkipped({ metadata }: KubeObject): boolean {
  return /^(1|t|true)$/i.test(metadata.annotations?.['argocd.argoproj.io/skip-reconcile'] ?? '');
}

function refreshRequest({ object, cache, context }: ReconcileRequest): RefreshRequest | undefined {
  const kind = object.metadata.annotations?.[REFRESH_ANNOTATION];
  if (kind === undefined) return undefined;
  return cache.values.refresh ?? { kind: kind === 'hard' ? 'hard' : 'normal', at: context.clock.steady() };
}

function isSyncRequested({ operation, status }: KubeObject): boolean {
  const state = isObject(status) && isObject(status.operationState) ? status.operationState : undefined;
  return isObject(operation) && (state === undefined || isCompleted(state.phase));
}
