import { isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { triggerAnnotation, type NotebookJob, type TriggerState } from '../../notebook/index.js';
import { mayTrigger, type TriggerDenial } from './may-trigger.js';
import { findPods, evictPods } from './restart-pods.js';
import type { ServedKinds } from './served-kinds.js';

export interface TriggerContext {
  readonly cluster: Cluster;
  readonly kinds: ServedKinds;
  /** Namespaces to search for Applications if a trigger has none. */
  readonly applicationNamespaces: readonly string[];
  /** Other namespaces that every job may reach. */
  readonly allowedNamespaces: readonly string[];
}

/** The result of a trigger; `later` if the target is busy. */
export type TriggerOutcome =
  | { readonly kind: 'done'; readonly state: 'Succeeded' | 'Skipped' | 'Failed'; readonly message: string }
  | { readonly kind: 'later'; readonly message: string };

/** A target that was found, with everything that the action needs, chosen before it begins. */
export interface ResolvedTrigger {
  readonly namespace: string;
  readonly targets: readonly string[];
}

const OPERATOR = 'jupyter-notebook-validator-operator';
const ROLLED = ['Deployment', 'StatefulSet', 'DaemonSet'];
const REFRESH = 'argocd.argoproj.io/refresh';

/** Finds what a trigger is about, and whether the job may reach it; an outcome where nothing is to be done. */
export async function resolveTrigger(
  job: NotebookJob,
  trigger: TriggerState,
  world: TriggerContext,
): Promise<ResolvedTrigger | TriggerOutcome> {
  const { group, version } = splitApiVersion(trigger.apiVersion);
  const kind = await world.kinds.find(group, version, trigger.kind);
  if (kind === undefined) return done('Failed', `the cluster does not serve ${trigger.apiVersion} ${trigger.kind}`);
  const isApplication = group === 'argoproj.io' && trigger.kind === 'Application';
  const defaults = isApplication ? [...new Set([...world.applicationNamespaces, job.namespace])] : [job.namespace];
  const places = trigger.namespace === '' ? defaults : [trigger.namespace];
  let refusal: TriggerDenial | undefined;
  for (const namespace of places) {
    const refused = await mayTrigger(
      job,
      { kind, namespace, name: trigger.name, deletesPods: deletesPods(kind, trigger) },
      world,
    );
    // A namespace that may not be read has nothing to find.
    refusal ??= refused;
    if (refused !== undefined && places.length > 1) continue;
    if (refused !== undefined) return done('Failed', `${refused.message}. ${allowText(refused)}`);
    const object = await world.cluster.get(
      kind,
      kind.namespaced ? { namespace, name: trigger.name } : { name: trigger.name },
    );
    if (object === undefined) continue;
    return { namespace, targets: deletesPods(kind, trigger) ? await findPods(world.cluster, kind, object) : [] };
  }
  return done(
    'Skipped',
    `${trigger.kind} ${trigger.name} is not in ${places.join(', ')}, or the service account of the job has ` +
      `no access to it there${refusal === undefined ? '' : `. ${allowText(refusal)}`}`,
  );
}

function allowText({ allow }: TriggerDenial): string {
  return `To allow it: ${allow}`;
}

function deletesPods(kind: ResourceRef, { action }: TriggerState): boolean {
  return action === 'restart' && !(kind.group === 'apps' && ROLLED.includes(kind.kind));
}

/** Runs a trigger. It is idempotent after a crash: annotations and values are those of the run. */
export async function fireTrigger(
  job: NotebookJob,
  index: number,
  trigger: TriggerState,
  completionTime: string,
  world: TriggerContext,
): Promise<TriggerOutcome> {
  const { group, version } = splitApiVersion(trigger.apiVersion);
  const kind = await world.kinds.find(group, version, trigger.kind);
  if (kind === undefined) return done('Failed', `the cluster does not serve ${trigger.apiVersion} ${trigger.kind}`);
  try {
    if (deletesPods(kind, trigger)) return await restartPods(trigger, world);
    const object = await world.cluster.get(
      kind,
      kind.namespaced ? { namespace: trigger.namespace, name: trigger.name } : { name: trigger.name },
    );
    if (object === undefined)
      return done('Skipped', `${trigger.kind} ${trigger.namespace}/${trigger.name} no longer exists`);
    const { key, value } = triggerAnnotation(job, trigger.runId, index);
    switch (trigger.action) {
      case 'restart':
        return await patch(
          world,
          kind,
          object,
          {
            spec: {
              template: {
                metadata: {
                  annotations: { 'kubectl.kubernetes.io/restartedAt': completionTime, 'mlops.dev/run': trigger.runId },
                },
              },
            },
          },
          'a rolling restart was started',
        );
      case 'sync':
        return await sync(world, kind, object, key, value);
      default: {
        if (group !== 'argoproj.io' || kind.kind !== 'Application')
          return await patch(
            world,
            kind,
            object,
            {
              metadata: {
                annotations: { 'mlops.dev/restart-timestamp': completionTime, 'mlops.dev/run': trigger.runId },
              },
            },
            'notified of the success of the notebook',
          );
        if (object.metadata.annotations?.[key] === value) return done('Succeeded', 'refreshed');
        return await patch(
          world,
          kind,
          object,
          { metadata: { annotations: { [REFRESH]: 'normal', [key]: value } } },
          'refreshed',
        );
      }
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.isConflict) return { kind: 'later', message: 'changed by another client in the meantime' };
    return done('Failed', error.message);
  }
}

async function restartPods(trigger: TriggerState, { cluster }: TriggerContext): Promise<TriggerOutcome> {
  const targets = trigger.targets ?? [];
  if (targets.length === 0) return done('Succeeded', 'no pods');
  const held = await evictPods(cluster, trigger.namespace, targets);
  return held === undefined
    ? done('Succeeded', `${targets.length} ${targets.length === 1 ? 'pod is' : 'pods are'} replaced`)
    : done('Failed', held);
}

/** One patch writes the operation and the annotation of this run, so a retry sees it. */
async function sync(
  world: TriggerContext,
  kind: ResourceRef,
  application: KubeObject,
  key: string,
  value: string,
): Promise<TriggerOutcome> {
  if (application.metadata.annotations?.[key] === value) return done('Succeeded', 'a sync was started');
  const state =
    isObject(application.status) && isObject(application.status.operationState)
      ? application.status.operationState
      : {};
  if (isObject(application.operation) || own(state, 'phase') === 'Running')
    return { kind: 'later', message: 'an operation of the application is running' };
  return patch(
    world,
    kind,
    application,
    {
      metadata: { annotations: { [key]: value } },
      operation: { initiatedBy: { username: OPERATOR }, sync: { syncStrategy: { hook: {} } } },
    },
    'a sync was started',
  );
}

async function patch(
  world: TriggerContext,
  kind: ResourceRef,
  { metadata }: KubeObject,
  change: JsonObject,
  message: string,
): Promise<TriggerOutcome> {
  const { namespace, name = '', resourceVersion = '' } = metadata;
  const body: JsonObject = {
    ...change,
    metadata: { ...(isObject(change.metadata) ? change.metadata : {}), resourceVersion },
  };
  await world.cluster.patch(kind, { namespace, name }, { type: 'merge', body });
  return done('Succeeded', message);
}

function done(state: 'Succeeded' | 'Skipped' | 'Failed', message: string): TriggerOutcome {
  return { kind: 'done', state, message: message.slice(0, 500) };
}

export function isOutcome(value: ResolvedTrigger | TriggerOutcome): value is TriggerOutcome {
  return 'kind' in value && !isArray((value as { targets?: never }).targets);
}
