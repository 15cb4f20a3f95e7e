import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { isCompleted, isHook, type ResourceResult } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { TaskRef } from './sync-plan.js';
import { taskId } from './task.js';

type Change = Partial<Pick<ResourceResult, 'status' | 'hookPhase'>> & { readonly message?: string };

/** The result rows of an operation, in the order in which things were done. */
export class SyncResults {
  readonly #given: readonly ResourceResult[];
  readonly #rows: Map<string, ResourceResult>;
  #isChanged = false;

  constructor(results: readonly ResourceResult[]) {
    this.#given = results;
    this.#rows = new Map(results.map((row) => [taskId(row, row.syncPhase), row]));
  }

  of(task: TaskName): ResourceResult | undefined {
    return this.#rows.get(idOf(task));
  }

  /** An empty message keeps the one that was there. */
  set(task: TaskName, object: KubeObject, change: Change): void {
    const old = this.of(task);
    const row: ResourceResult = {
      ...(old ?? newRow(task, object)),
      ...change,
      message: change.message || (old?.message ?? ''),
    };
    if (old && old.status === row.status && old.hookPhase === row.hookPhase && old.message === row.message) return;
    this.#rows.set(idOf(task), row);
    this.#isChanged = true;
  }

  drop(task: TaskName): void {
    this.#isChanged = this.#rows.delete(idOf(task)) || this.#isChanged;
  }

  /** The very list that was given, where nothing changed. */
  list(): readonly ResourceResult[] {
    return this.#isChanged ? [...this.#rows.values()] : this.#given;
  }

  isPending(task: TaskName): boolean {
    return this.of(task)?.hookPhase === undefined;
  }

  isRunning(task: TaskName): boolean {
    return this.of(task)?.hookPhase === 'Running';
  }

  isCompleted(task: TaskName): boolean {
    const phase = this.of(task)?.hookPhase;
    return phase !== undefined && isCompleted(phase);
  }

  /** Completed, and not well. A hook that did its work and could not be deleted afterwards did not fail. */
  isFailed(task: TaskName): boolean {
    const row = this.of(task);
    if (row?.hookPhase !== 'Failed' && row?.hookPhase !== 'Error') return false;
    return !(row.hookPhase === 'Error' && row.status === 'Synced' && row.message.startsWith(DELETE_FAILED));
  }
}

/** Starts the message of a hook that could not be deleted. */
export const DELETE_FAILED = 'failed to delete resource: ';

/** A task knows its id; a step only names its task. */
type TaskName = TaskRef & { readonly id?: string };

function idOf(task: TaskName): string {
  return task.id ?? taskId(task.key, task.phase);
}

function newRow({ key, version, phase }: TaskRef, object: KubeObject): ResourceResult {
  const images = imagesOf(object);
  return {
    group: key.group,
    version,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    syncPhase: phase,
    message: '',
    ...(isHook(object) ? { hookType: phase } : {}),
    ...(images.length > 0 ? { images } : {}),
  };
}

/** The images of a workload's containers, as Argo CD lists them beside the result. */
function imagesOf(object: KubeObject): string[] {
  const within = (value: Json | undefined, name: 'spec' | 'template' | 'jobTemplate'): JsonObject => {
    const inner = isObject(value) ? own(value, name) : undefined;
    return isObject(inner) ? inner : {};
  };
  const spec = within(object, 'spec');
  const lists = [
    spec.containers,
    within(within(spec, 'template'), 'spec').containers,
    within(within(within(within(spec, 'jobTemplate'), 'spec'), 'template'), 'spec').containers,
  ];
  const containers = lists.find((list) => isArray(list));
  if (!isArray(containers)) return [];
  return containers.flatMap((container) =>
    isObject(container) && typeof container.image === 'string' ? [container.image] : [],
  );
}
