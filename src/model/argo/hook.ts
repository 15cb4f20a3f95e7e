import type { KubeObject } from '../kubernetes/index.js';

export const HOOK_ANNOTATION = 'argocd.argoproj.io/hook';
/** Keeps a hook until its phase is over; a hook that only waits for this is not on its way out. */
export const HOOK_FINALIZER = 'argocd.argoproj.io/hook-finalizer';
const HELM_HOOK_ANNOTATION = 'helm.sh/hook';

export const HOOK_TYPES = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'Skip', 'PreDelete', 'PostDelete'] as const;
export type HookType = (typeof HOOK_TYPES)[number];

/** The hook types that Argo CD's annotation names; unknown words are left out. */
export function hookTypes(object: KubeObject): HookType[] {
  const named = (object.metadata.annotations?.[HOOK_ANNOTATION] ?? '').split(',').map((word) => word.trim());
  return named.flatMap((word) => HOOK_TYPES.filter((type) => type === word));
}

/** Marked `hook: Skip` and nothing else: never applied. */
export function isSkipped(object: KubeObject): boolean {
  const types = hookTypes(object);
  return types.length === 1 && types[0] === 'Skip';
}

/** A hook of Argo CD or of Helm; Helm marks CRDs with the same annotation, which does not make hooks of them. */
export function isHook(object: KubeObject): boolean {
  const annotations = object.metadata.annotations ?? {};
  if (Object.hasOwn(annotations, HOOK_ANNOTATION)) return !isSkipped(object);
  return Object.hasOwn(annotations, HELM_HOOK_ANNOTATION) && annotations[HELM_HOOK_ANNOTATION] !== 'crd-install';
}
