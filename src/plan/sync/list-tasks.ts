import { gvkOf, keyOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isHook, type SyncPhase } from '../../model/argo/index.js';
import { prepareHook, syncPhasesOf } from './hook-rules.js';
import type { SyncInput, SyncResource } from './sync-plan.js';
import { hasOption, SYNC_OPTIONS } from './options.js';
import { crdKind, kindName, orderTasks, placePrunes } from './order-tasks.js';
import { taskId, waveOf, type Task } from './task.js';

export interface TaskList {
  /** In the order in which they run. */
  readonly tasks: readonly Task[];
  /** The distinct waves of what is pruned, those of earlier moves included, ascending. */
  readonly pruneWaves: readonly number[];
}

/** Everything that the operation does, whatever was done of it already. */
export function listTasks(input: SyncInput): TaskList {
  const crds = new Set(input.resources.map(({ target }) => target && crdKind(target)));
  const judgeKind = (object: KubeObject): Task['kind'] => {
    if (input.kindOf(object) !== undefined) return 'served';
    const isComing =
      crds.has(kindName(object)) ||
      input.syncOptions.includes('SkipDryRunOnMissingResource=true') ||
      hasOption(object, 'SkipDryRunOnMissingResource=true');
    return isComing ? 'coming' : 'unknown';
  };
  const made = [
    ...input.resources.filter((resource) => isWanted(input, resource)).flatMap((resource) => tasksOf(input, resource)),
    ...destinationNamespace(input),
  ];
  const tasks = made.map(({ object, ...task }): Task => ({ ...task, id: '', kind: judgeKind(object) }));
  const pruned = tasks.filter((task) => task.target === undefined).map((task) => task.wave);
  const pruneWaves = [...new Set([...pruned, ...(input.state.pruneWaves ?? [])])].sort((a, b) => a - b);
  const isLast = (task: Task): boolean =>
    input.syncOptions.includes('PruneLast=true') || hasOption(task.live, 'PruneLast=true');
  const ordered = orderTasks(placePrunes(tasks, pruneWaves, isLast), input.destinationNamespace);
  // Only now: a Namespace that moves to its first user moves to its phase, too.
  return { tasks: ordered.map((task) => ({ ...task, id: taskId(task.key, task.phase) })), pruneWaves };
}

type TaskDraft = Omit<Task, 'kind' | 'id'> & { readonly object: KubeObject };

/** A sync of chosen resources leaves out the others; hooks are left out there and by the strategy `apply`. */
function isWanted({ request }: SyncInput, { key, target, live }: SyncResource): boolean {
  const object = target ?? live;
  if (object === undefined) return false;
  if (isHook(object)) return target !== undefined && request.strategy === 'hook' && request.resources.length === 0;
  return (
    request.resources.length === 0 ||
    request.resources.some(
      (choice) =>
        choice.group === key.group &&
        choice.kind === key.kind &&
        choice.name === key.name &&
        (choice.namespace === '' || choice.namespace === key.namespace),
    )
  );
}

function tasksOf(input: SyncInput, resource: SyncResource): TaskDraft[] {
  const object = resource.target ?? resource.live;
  if (object === undefined) return [];
  const { version } = gvkOf(object);
  const wave = waveOf(object);
  if (isHook(object)) return syncPhasesOf(object).map((phase) => hookTask(input, resource, object, phase));
  return syncPhasesOf(object).map((phase) => ({
    key: resource.key,
    version,
    phase,
    wave,
    isHook: false,
    resource,
    object,
    ...(resource.target ? { target: resource.target } : {}),
    ...withLive(resource.live ?? input.find(resource.key)),
  }));
}

function hookTask(input: SyncInput, resource: SyncResource, hook: KubeObject, phase: SyncPhase): TaskDraft {
  const isNamed = (hook.metadata.name ?? '') !== '';
  const name = isNamed ? (hook.metadata.name ?? '') : `${hook.metadata.generateName ?? ''}${nameSuffix(input, phase)}`;
  const key: Key = { ...resource.key, name };
  const object = prepareHook(hook, name, input.state.operationId, phase);
  return {
    key,
    version: gvkOf(hook).version,
    phase,
    wave: waveOf(hook),
    target: object,
    isHook: true,
    resource,
    object,
    ...withLive((isNamed ? resource.live : undefined) ?? input.find(key)),
  };
}

/**
 * Argo CD's name for a generated hook; with operations that have identity it ends in that, so that a retry gets hooks
 * of its own.
 */
function nameSuffix({ state, improvements }: SyncInput, phase: SyncPhase): string {
  const revision = state.revision.length >= 8 ? state.revision.slice(0, 7) : state.revision;
  const end = improvements.generationGates ? state.operationId : String(Math.floor(state.startedAt.getTime() / 1000));
  return `${revision}-${phase}-${end}`.toLowerCase();
}

function withLive(live: KubeObject | undefined): { live?: KubeObject } {
  return live === undefined ? {} : { live };
}

/**
 * `CreateNamespace=true`: the namespace is created where it is missing, and kept as `managedNamespaceMetadata` says.
 */
function destinationNamespace(input: SyncInput): TaskDraft[] {
  const name = input.destinationNamespace;
  if (name === '' || !input.syncOptions.includes('CreateNamespace=true')) return [];
  const isOwn = ({ target }: SyncResource): boolean =>
    target?.kind === 'Namespace' && target.apiVersion === 'v1' && target.metadata.name === name;
  if (input.resources.some(isOwn)) return [];
  const metadata = input.namespaceMetadata;
  const target: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      ...(metadata
        ? {
            labels: { ...metadata.labels },
            annotations: { ...metadata.annotations, [SYNC_OPTIONS]: 'ServerSideApply=true' },
          }
        : {}),
    },
  };
  const key = keyOf(target);
  const live = input.find(key);
  const wasCreated = input.state.results.some(
    (row) => row.kind === 'Namespace' && row.group === '' && row.name === name && row.syncPhase === 'PreSync',
  );
  if (live !== undefined && metadata === undefined && !wasCreated) return [];
  return [{ key, version: 'v1', phase: 'PreSync', wave: 0, target, isHook: false, object: target, ...withLive(live) }];
}
