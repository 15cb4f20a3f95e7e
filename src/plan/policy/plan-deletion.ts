import { gvkOf, keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { worseHealth, type Application, type Health, type HealthStatus } from '../../model/argo/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import {
  deletePoliciesOf,
  type Propagation,
  type SyncStep,
  type TaskRef,
  type Wait,
  annotationOf,
  optionValue,
  wordsOf,
  isCrd,
  waveOf,
} from '../sync/index.js';

/**
 * Everything that the deletion of an application depends on. The application has its deletionTimestamp and no
 * operation.
 */
export interface DeletionInput {
  readonly application: Application;
  /** False where its destination names a cluster that does not exist (any more). */
  readonly isClusterKnown: boolean;
  /** Every live object that is tracked for the application and allowed by its project; hooks are among them. */
  readonly live: readonly KubeObject[];
  /** What git has at the target revision, with namespace and tracking. Only where `needsTargets` says so. */
  readonly targets: readonly KubeObject[];
  /** Why the project does not allow an object. */
  findViolation(object: KubeObject): string | undefined;
  assess(live: KubeObject): Health | undefined;
}

export type DeletionStep =
  | Extract<SyncStep, { readonly kind: 'apply' | 'prune' | 'delete-hook' }>
  /** From the Application itself. */
  | { readonly kind: 'drop-finalizers'; readonly finalizers: readonly string[] };

/** What to do now. Nothing to do and not over: wait for one of `waitsFor`. */
export interface DeletionPlan {
  /** Nothing of ours keeps the Application any more. */
  readonly isOver: boolean;
  /** They may run at the same time. */
  readonly steps: readonly DeletionStep[];
  readonly waitsFor: readonly Wait[];
  /** Stays until a later move drops finalizers: a hook that failed is deleted and tried again. */
  readonly condition?: { readonly type: 'DeletionError'; readonly message: string };
}

type DeletionHook = 'PreDelete' | 'PostDelete';

const RESOURCES = 'resources-finalizer.argocd.argoproj.io';
const CASCADE = [RESOURCES, `${RESOURCES}/foreground`, `${RESOURCES}/background`];
const HOOKS: Readonly<Record<DeletionHook, { finalizer: string; helm: string; failed: string }>> = {
  PreDelete: {
    finalizer: 'pre-delete-finalizer.argocd.argoproj.io',
    helm: 'pre-delete',
    failed: 'error executing pre-delete hooks: ',
  },
  PostDelete: { finalizer: 'post-delete-finalizer.argocd.argoproj.io', helm: 'post-delete', failed: '' },
};
const STARTS = [HOOKS.PreDelete.finalizer, HOOKS.PostDelete.finalizer];
const APPROVED = 'argocd.argoproj.io/deletion-approved';
const OVER: DeletionPlan = { isOver: true, steps: [], waitsFor: [] };

/**
 * The next stage: hooks before, objects by waves (highest first), hooks after, then hooks that their policy removes.
 */
export function planDeletion(input: DeletionInput): DeletionPlan {
  const finalizers = finalizersOf(input.application);
  if (!input.isClusterKnown)
    return dropped(
      finalizers.filter((name) => CASCADE.includes(name) || STARTS.some((start) => name.startsWith(start))),
    );
  if (finalizers.includes(HOOKS.PreDelete.finalizer)) return runHooks(input, 'PreDelete');
  if (finalizers.some((name) => CASCADE.includes(name))) return cascade(input, finalizers);
  if (finalizers.includes(HOOKS.PostDelete.finalizer)) return runHooks(input, 'PostDelete');
  if (finalizers.includes(cleanupOf('PreDelete'))) return cleanUp(input, 'PreDelete');
  if (finalizers.includes(cleanupOf('PostDelete'))) return cleanUp(input, 'PostDelete');
  return OVER;
}

/** Whether the next stage runs hooks, so that git must be read. */
export function needsTargets(application: Application): boolean {
  const finalizers = finalizersOf(application);
  return (
    finalizers.includes(HOOKS.PreDelete.finalizer) ||
    (finalizers.includes(HOOKS.PostDelete.finalizer) && !finalizers.some((name) => CASCADE.includes(name)))
  );
}

/**
 * The finalizers that an Application should have now: with hooks of a deletion in git those that run them, else none of
 * them. Not for one that is being deleted.
 */
export function wantedFinalizers(current: readonly string[], targets: readonly KubeObject[]): string[] {
  const types: readonly DeletionHook[] = ['PreDelete', 'PostDelete'];
  return types.reduce(
    (finalizers, type) => {
      const names = [HOOKS[type].finalizer, cleanupOf(type)];
      return targets.some((target) => isDeletionHook(target, type))
        ? [...finalizers, ...names.filter((name) => !finalizers.includes(name))]
        : finalizers.filter((name) => !names.includes(name));
    },
    [...current],
  );
}

/** A hook of a deletion, by Argo CD's annotation or by Helm's; either is enough. */
export function isDeletionHook(object: KubeObject, type: DeletionHook): boolean {
  return (
    wordsOf(object, 'argocd.argoproj.io/hook').includes(type) ||
    wordsOf(object, 'helm.sh/hook').includes(HOOKS[type].helm)
  );
}

function runHooks(input: DeletionInput, type: DeletionHook): DeletionPlan {
  const { finalizer, failed: prefix } = HOOKS[type];
  const running = input.live.filter((object) => isDeletionHook(object, type));
  const missing = input.targets.filter(
    (target) => isDeletionHook(target, type) && !running.some((live) => isSameHook(live, target)),
  );
  for (const target of missing) {
    const violation = input.findViolation(target);
    if (violation !== undefined)
      return failed(`${prefix}${type} hook ${keyText(keyOf(target))} is not permitted: ${violation}`);
  }
  if (missing.length > 0) return { isOver: false, ...createHooks(input.application, missing, type) };
  const verdicts = running.map((live) => ({ live, health: input.assess(live) ?? { status: 'Healthy' as const } }));
  const broken = verdicts.filter(({ health }) => health.status === 'Degraded').map(({ live }) => live);
  if (broken.length > 0) {
    const names = broken.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).join(', ');
    return failed(
      `${prefix}${type} hook(s) failed: ${names}`,
      broken.filter((live) => !isBeingDeleted(live)).map((live) => deleteHook(live, type)),
    );
  }
  const unfinished = verdicts.filter(({ health }) => health.status === 'Progressing');
  if (unfinished.length > 0)
    return waiting(unfinished.map(({ live, health }) => waitFor('hook', live, health.message ?? '')));
  return dropped([finalizer]);
}

function cascade(input: DeletionInput, finalizers: readonly string[]): DeletionPlan {
  const { application, live } = input;
  const leaving = live.filter(isBeingDeleted);
  if (leaving.length > 0) return waiting(leaving.map((object) => waitFor('deletion', object, deletionMessage(object))));
  const doomed = live.filter((object) => isDeleted(application, object));
  if (doomed.length === 0) return dropped(finalizers.filter((name) => CASCADE.includes(name)));
  const unconfirmed = isApproved(application) ? [] : doomed.filter((object) => needsConfirmation(application, object));
  if (unconfirmed.length > 0)
    return waiting(
      unconfirmed.map((object) => waitFor('prune-confirmation', object, `annotate the Application with ${APPROVED}`)),
    );
  const wave = doomed.reduce((highest, object) => Math.max(highest, waveOf(object)), -Infinity);
  // The first one in the list counts, as with Argo CD.
  const propagation: Propagation =
    finalizers.find((name) => CASCADE.includes(name)) === `${RESOURCES}/background` ? 'Background' : 'Foreground';
  const steps = doomed
    .filter((object) => waveOf(object) === wave)
    .map((object): DeletionStep => ({ kind: 'prune', task: taskOf(object, 'Sync'), live: object, propagation }));
  return { isOver: false, steps, waitsFor: [] };
}

/** The delete policy that applies once the hooks ended so. */
const DELETE_POLICIES: Partial<Record<HealthStatus, 'HookSucceeded' | 'HookFailed'>> = {
  Healthy: 'HookSucceeded',
  Degraded: 'HookFailed',
};

/** Hooks that are left go if their policy says so; without any policy of their own they stay. */
function cleanUp({ live, assess }: DeletionInput, type: DeletionHook): DeletionPlan {
  const hooks = live.filter((object) => isDeletionHook(object, type));
  const worst = hooks.reduce<HealthStatus>(
    (status, hook) => worseHealth(status, assess(hook)?.status ?? 'Healthy'),
    'Healthy',
  );
  const policy = DELETE_POLICIES[worst];
  const doomed = hooks.filter((hook) => policy !== undefined && deletePoliciesOf(hook).includes(policy));
  if (doomed.length === 0) return dropped([cleanupOf(type)]);
  return {
    isOver: false,
    steps: doomed.filter((hook) => !isBeingDeleted(hook)).map((hook) => deleteHook(hook, type)),
    waitsFor: doomed.map((hook) => waitFor('hook-deletion', hook, deletionMessage(hook))),
  };
}

/** CRDs, the Application itself and what asks to be kept stay. */
function isDeleted(application: Application, object: KubeObject): boolean {
  const { group, kind } = gvkOf(object);
  const isSelf =
    group === 'argoproj.io' &&
    kind === 'Application' &&
    object.metadata.name === application.name &&
    object.metadata.namespace === application.namespace;
  return (
    !isCrd(object) &&
    !isSelf &&
    optionValue(object, application.syncPolicy.syncOptions, 'Delete') !== 'false' &&
    !wordsOf(object, 'helm.sh/resource-policy').includes('keep')
  );
}

/** Either says so: the object as it is, or the status, which knows what git said. */
function needsConfirmation(application: Application, object: KubeObject): boolean {
  const { syncOptions } = application.syncPolicy;
  if (
    optionValue(object, syncOptions, 'Delete') === 'confirm' ||
    optionValue(object, syncOptions, 'Prune') === 'confirm'
  )
    return true;
  const { status } = application.object;
  const rows = isObject(status) && isArray(status.resources) ? status.resources.filter(isObject) : [];
  const key = keyOf(object);
  return rows.some(
    (row) =>
      row.requiresDeletionConfirmation === true &&
      row.kind === key.kind &&
      row.name === key.name &&
      (row.group ?? '') === key.group &&
      (row.namespace ?? '') === key.namespace,
  );
}

function isApproved({ object }: Application): boolean {
  return Date.parse(annotationOf(object, APPROVED) ?? '') >= Date.parse(object.metadata.deletionTimestamp ?? '');
}

function finalizersOf({ object }: Application): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function cleanupOf(type: DeletionHook): string {
  return `${HOOKS[type].finalizer}/cleanup`;
}

/** A hook with generateName is known by the beginning of its name. */
function isSameHook(live: KubeObject, target: KubeObject): boolean {
  const [a, b] = [keyOf(live), keyOf(target)];
  if (a.group !== b.group || a.kind !== b.kind || a.namespace !== b.namespace) return false;
  return b.name === '' ? a.name.startsWith(target.metadata.generateName ?? '') : a.name === b.name;
}

function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function deletionMessage({ metadata }: KubeObject): string {
  const kept = metadata.finalizers ?? [];
  return kept.length === 0 ? '' : `kept by ${kept.join(', ')}`;
}

function createHooks(
  { uid }: Application,
  hooks: readonly KubeObject[],
  type: DeletionHook,
): Pick<DeletionPlan, 'steps' | 'waitsFor'> {
  // A name of its own instead of generateName: a second create, after a crash or by another process, is refused.
  const named = hooks.map((hook) =>
    keyOf(hook).name !== ''
      ? hook
      : { ...hook, metadata: { ...hook.metadata, name: `${hook.metadata.generateName ?? ''}${uid.slice(0, 8)}` } },
  );
  return {
    steps: named.map((object) => ({
      kind: 'apply',
      task: taskOf(object, phaseOf(type)),
      object,
      how: { method: 'create', validate: true, migrate: false, force: false },
    })),
    waitsFor: named.map((object) => waitFor('hook', object, 'created now')),
  };
}

function deleteHook(live: KubeObject, type: DeletionHook): DeletionStep {
  return { kind: 'delete-hook', task: taskOf(live, phaseOf(type)), live, propagation: 'Background' };
}

/** Steps speak of the phases of a sync; those of a deletion stand where they are alike. */
function phaseOf(type: DeletionHook): TaskRef['phase'] {
  return type === 'PreDelete' ? 'PreSync' : 'PostSync';
}

function taskOf(object: KubeObject, phase: TaskRef['phase']): TaskRef {
  return { key: keyOf(object), version: gvkOf(object).version, phase };
}

function waitFor(why: Wait['why'], object: KubeObject, message: string): Wait {
  const key: Key = keyOf(object);
  return { why, key, message };
}

function waiting(waitsFor: readonly Wait[]): DeletionPlan {
  return { isOver: false, steps: [], waitsFor };
}

function dropped(finalizers: readonly string[]): DeletionPlan {
  return finalizers.length === 0
    ? OVER
    : { isOver: false, steps: [{ kind: 'drop-finalizers', finalizers }], waitsFor: [] };
}

function failed(message: string, steps: readonly DeletionStep[] = []): DeletionPlan {
  return { isOver: false, steps, waitsFor: [], condition: { type: 'DeletionError', message } };
}
