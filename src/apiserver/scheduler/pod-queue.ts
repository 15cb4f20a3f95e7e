import { compareText } from '../../model/go/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Clock } from '../rest/index.js';
import { number, maybe } from '../resources/index.js';

interface Entry {
  pod: KubeObject;
  attempts: number;
  /** Not before this time, in milliseconds. */
  notBefore: number;
}

/** Milliseconds a refused pod rests before it is tried again; doubles up to the longest. */
const INITIAL_BACKOFF = 1000;
const MAX_BACKOFF = 10_000;

/**
 * Pods without a node. Those to be tried come by priority, then by age; refused ones rest until something changes in
 * the cluster, and then at least as long as their back-off says.
 */
export class PodQueue {
  readonly #active = new Map<string, Entry>();
  readonly #unschedulable = new Map<string, Entry>();
  #cancelWake: (() => void) | undefined;

  constructor(
    readonly clock: Clock,
    readonly onWork: () => void,
  ) {}

  get size(): number {
    return this.#active.size;
  }

  /** A pod that is new, or changed in a way that matters. */
  add(pod: KubeObject): void {
    const uid = pod.metadata.uid ?? '';
    const attempts = this.#unschedulable.get(uid)?.attempts ?? 0;
    this.#unschedulable.delete(uid);
    this.#active.set(uid, { pod, attempts, notBefore: 0 });
    this.onWork();
  }

  /** Newer state of a pod that waits; nothing about it that matters changed. */
  refresh(pod: KubeObject): void {
    const uid = pod.metadata.uid ?? '';
    const entry = this.#active.get(uid) ?? this.#unschedulable.get(uid);
    if (entry) entry.pod = pod;
  }

  has(uid: string): boolean {
    return this.#active.has(uid) || this.#unschedulable.has(uid);
  }

  remove(uid: string): void {
    this.#active.delete(uid);
    this.#unschedulable.delete(uid);
  }

  /** The most important pod that may be tried now. */
  take(): { readonly pod: KubeObject; readonly attempts: number } | undefined {
    const now = this.clock.now().getTime();
    let best: Entry | undefined;
    for (const entry of this.#active.values()) {
      if (entry.notBefore <= now && (best === undefined || before(entry.pod, best.pod))) best = entry;
    }
    if (!best) {
      this.#sleep(now);
      return undefined;
    }
    this.#active.delete(best.pod.metadata.uid ?? '');
    return best;
  }

  /** Puts a refused pod aside until the cluster changes. */
  addUnschedulable(pod: KubeObject, attempts: number): void {
    const rest = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** attempts);
    this.#unschedulable.set(pod.metadata.uid ?? '', {
      pod,
      attempts: attempts + 1,
      notBefore: this.clock.now().getTime() + rest,
    });
  }

  /** Something changed that could let refused pods in. */
  moveAllToActive(): void {
    if (this.#unschedulable.size === 0) return;
    for (const [uid, entry] of this.#unschedulable) this.#active.set(uid, entry);
    this.#unschedulable.clear();
    this.onWork();
  }

  /** Pods that wait, in no order. */
  *pods(): Iterable<KubeObject> {
    for (const { pod } of this.#active.values()) yield pod;
    for (const { pod } of this.#unschedulable.values()) yield pod;
  }

  close(): void {
    this.#cancelWake?.();
    this.#active.clear();
    this.#unschedulable.clear();
  }

  #sleep(now: number): void {
    this.#cancelWake?.();
    if (this.#active.size === 0) return;
    const next = Math.min(...[...this.#active.values()].map((entry) => entry.notBefore));
    this.#cancelWake = this.clock.after(Math.max(0, next - now), this.onWork);
  }
}

function before(a: KubeObject, b: KubeObject): boolean {
  const priority = (pod: KubeObject): number => number(maybe(pod, 'spec'), 'priority') ?? 0;
  const created = compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '');
  return priority(a) > priority(b) || (priority(a) === priority(b) && created < 0);
}
