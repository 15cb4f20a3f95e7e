import { clone, drop, equal, type JsonObject } from '../../../model/json/index.js';
import { gvkOf, keyOf, keyText, type Key, type KubeObject } from '../../../model/kubernetes/index.js';
import { HOOK_FINALIZER, type Health } from '../../../model/argo/index.js';
import { OPERATION_PHASE_ANNOTATION } from '../hook-rules.js';
import type { ImageState } from '../image.js';
import { crdKind, kindName } from '../order-tasks.js';
import type { HookReason, SyncStep, StepOutcome } from '../sync-plan.js';

const CLUSTER_SCOPED = new Set(['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'PriorityClass']);

export function shortName(key: { readonly kind: string; readonly name: string }): string {
  return `${key.kind}/${key.name}`;
}

/** A cluster small enough to read: objects, and what a script says of their health and of the server's mood. */
export class MemoryCluster {
  readonly #objects = new Map<string, KubeObject>();
  readonly healths = new Map<string, Health>();
  /** `check Deployment/web` and the like, to what the server says against it. */
  readonly rejections = new Map<string, string>();
  /** How far images are, by their text. */
  readonly images = new Map<string, ImageState>();
  /** What keeps hooks, by their short name. */
  readonly hookReasons = new Map<string, HookReason>();
  readonly unserved = new Set<string>();
  /** Every change that was made, in order: `create Job/a for PreSync`, `update ConfigMap/b`, `delete Secret/c`. */
  readonly changes: string[] = [];
  now = new Date('2026-01-01T00:00:00Z');
  #uids = 0;

  /** Fills in the namespace as the tracking of targets does. */
  place(object: KubeObject): KubeObject {
    const placed = clone(object);
    if (CLUSTER_SCOPED.has(placed.kind)) delete placed.metadata.namespace;
    else placed.metadata.namespace ??= 'shop';
    return placed;
  }

  put(object: KubeObject): void {
    const placed = this.place(object);
    this.#uids += 1;
    placed.metadata = {
      generation: 1,
      creationTimestamp: this.now.toISOString(),
      ...placed.metadata,
      uid: `uid-${this.#uids}`,
    };
    this.#objects.set(keyText(keyOf(placed)), placed);
  }

  find(key: Key): KubeObject | undefined {
    return this.#objects.get(keyText(key));
  }

  named(short: string): KubeObject {
    const found = this.list().find((object) => shortName(keyOf(object)) === short);
    if (!found) throw new Error(`the world has no ${short}`);
    return found;
  }

  list(): KubeObject[] {
    return [...this.#objects.values()];
  }

  isServed(object: KubeObject): boolean {
    return !this.unserved.has(kindName(object));
  }

  assess(live: KubeObject): Health | undefined {
    const key = keyOf(live);
    return this.healths.get(shortName(key)) ?? this.healths.get(key.kind);
  }

  /** Takes away what keeps an object, and the object itself where it is being deleted. */
  release(short: string, finalizer?: string): void {
    const object = this.named(short);
    object.metadata.finalizers =
      finalizer === undefined ? [] : (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    if (object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers.length === 0) this.vanish(short);
  }

  vanish(short: string): void {
    this.#objects.delete(keyText(keyOf(this.named(short))));
  }

  run(step: SyncStep): StepOutcome {
    const short = shortName(step.task.key);
    const refusal = this.rejections.get(`${step.kind} ${short}`);
    if (refusal !== undefined) return { step, isDone: false, message: refusal };
    switch (step.kind) {
      case 'check':
        return {
          step,
          isDone: this.isServed(step.object),
          message: this.#said(step.object, `${this.find(step.task.key) ? 'configured' : 'created'} (dry run)`),
        };
      case 'apply':
        return this.#apply(step);
      case 'prune':
      case 'delete-hook':
        return { step, isDone: true, message: this.#delete(step.live) };
      case 'release-hook':
        if (this.find(step.task.key)) this.release(short, HOOK_FINALIZER);
        return { step, isDone: true, message: '' };
      default:
        return step satisfies never;
    }
  }

  #apply(step: Extract<SyncStep, { kind: 'apply' }>): StepOutcome {
    const { object, how } = step;
    if (!this.isServed(object))
      return { step, isDone: false, message: `no matches for kind "${object.kind}" in version "${object.apiVersion}"` };
    const live = this.find(step.task.key);
    if (live && how.method === 'create') return { step, isDone: false, message: this.#said(object, 'already exists') };
    if (live && how.method === 'recreate') this.#delete(live);
    const kept = how.method === 'recreate' ? undefined : live;
    const isChanged = kept === undefined || !equal(bare(kept), bare(object));
    if (!isChanged) return { step, isDone: true, message: this.#said(object, 'unchanged') };
    const phase = object.metadata.annotations?.[OPERATION_PHASE_ANNOTATION];
    this.changes.push(
      `${kept ? 'update' : 'create'} ${shortName(step.task.key)}${phase === undefined ? '' : ` for ${phase}`}`,
    );
    if (kept) this.#update(kept, object);
    else this.put(object);
    const kind = crdKind(object);
    if (kind !== undefined) this.unserved.delete(kind);
    return { step, isDone: true, message: this.#said(object, kept ? 'configured' : 'created') };
  }

  #update(live: KubeObject, object: KubeObject): void {
    const { uid, creationTimestamp, generation = 1 } = live.metadata;
    const next: KubeObject = { ...clone(object), ...(live.status === undefined ? {} : { status: live.status }) };
    next.metadata = {
      ...next.metadata,
      generation: generation + 1,
      ...(uid === undefined ? {} : { uid }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    };
    this.#objects.set(keyText(keyOf(live)), next);
  }

  #delete({ metadata, kind }: KubeObject): string {
    const live = this.list().find((object) => object.kind === kind && object.metadata.uid === metadata.uid);
    if (!live || live.metadata.deletionTimestamp !== undefined) return '';
    this.changes.push(`delete ${shortName(keyOf(live))}`);
    if ((live.metadata.finalizers ?? []).length > 0) live.metadata.deletionTimestamp = this.now.toISOString();
    else this.#objects.delete(keyText(keyOf(live)));
    return 'deleted';
  }

  #said(object: KubeObject, what: string): string {
    const { group, kind } = gvkOf(object);
    return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${object.metadata.name ?? ''} ${what}`;
  }
}

/** What git can say about an object: without status and without what the server fills in. */
export function bare(object: KubeObject): JsonObject {
  const copy = clone(object);
  for (const name of [
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'managedFields',
  ])
    drop(copy.metadata, name);
  delete copy.status;
  return copy;
}
