import { clone } from '../../model/json/index.js';
import { HOOK_FINALIZER, hookTypes, isHook, isSkipped, SYNC_PHASES, type SyncPhase } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { annotationOf, wordsOf } from './options.js';

/** Which operation created a hook, and for which of its phases: how a restarted process knows its own hooks. */
export const OPERATION_ANNOTATION = 'argosy.dev/operation';
export const OPERATION_PHASE_ANNOTATION = 'argosy.dev/operation-phase';

const HELM_PHASES: ReadonlyMap<string, SyncPhase> = new Map([
  ['pre-install', 'PreSync'],
  ['pre-upgrade', 'PreSync'],
  ['post-install', 'PostSync'],
  ['post-upgrade', 'PostSync'],
]);

export type DeletePolicy = 'BeforeHookCreation' | 'HookSucceeded' | 'HookFailed';
const POLICIES: ReadonlyMap<string, DeletePolicy> = new Map([
  ['BeforeHookCreation', 'BeforeHookCreation'],
  ['HookSucceeded', 'HookSucceeded'],
  ['HookFailed', 'HookFailed'],
]);
const HELM_POLICIES: ReadonlyMap<string, DeletePolicy> = new Map([
  ['before-hook-creation', 'BeforeHookCreation'],
  ['hook-succeeded', 'HookSucceeded'],
  ['hook-failed', 'HookFailed'],
]);

/** The phases of a sync that an object takes part in. None for `Skip`, for hooks of a deletion and for Helm's tests. */
export function syncPhasesOf(object: KubeObject): SyncPhase[] {
  if (isSkipped(object)) return [];
  if (!isHook(object)) return ['Sync'];
  const own = hookTypes(object);
  const named = own.length > 0 ? own : wordsOf(object, 'helm.sh/hook').map((word) => HELM_PHASES.get(word));
  return SYNC_PHASES.filter((phase) => named.includes(phase));
}

/** Helm's policies and Argo CD's together; a hook without any is replaced by the next sync. */
export function deletePoliciesOf(hook: KubeObject): DeletePolicy[] {
  const named = [
    ...wordsOf(hook, 'argocd.argoproj.io/hook-delete-policy').map((word) => POLICIES.get(word)),
    ...wordsOf(hook, 'helm.sh/hook-delete-policy').map((word) => HELM_POLICIES.get(word)),
  ].filter((policy) => policy !== undefined);
  return named.length > 0 ? named : ['BeforeHookCreation'];
}

export function hasHookFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(HOOK_FINALIZER) ?? false;
}

/** The hook as it is created: named, kept by the finalizer, and marked as the operation's own. */
export function prepareHook(hook: KubeObject, name: string, operationId: string, phase: SyncPhase): KubeObject {
  const object = clone(hook);
  const { metadata } = object;
  metadata.name = name;
  delete metadata.generateName;
  if (!hasHookFinalizer(object)) metadata.finalizers = [...(metadata.finalizers ?? []), HOOK_FINALIZER];
  metadata.annotations = {
    ...metadata.annotations,
    [OPERATION_ANNOTATION]: operationId,
    [OPERATION_PHASE_ANNOTATION]: phase,
  };
  return object;
}

/** Created by this operation for this phase, whether or not that was written down. */
export function isOwnHook(live: KubeObject, operationId: string, phase: SyncPhase): boolean {
  return (
    annotationOf(live, OPERATION_ANNOTATION) === operationId && annotationOf(live, OPERATION_PHASE_ANNOTATION) === phase
  );
}

/** Not another operation's or phase's: also one that Argo CD created for this very operation, which carries no mark. */
export function mayBeOwnHook(live: KubeObject, operationId: string, phase: SyncPhase): boolean {
  return (
    (annotationOf(live, OPERATION_ANNOTATION) ?? operationId) === operationId &&
    (annotationOf(live, OPERATION_PHASE_ANNOTATION) ?? phase) === phase
  );
}
