import { own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { items, maybe, text } from '../../resources/index.js';

export function phaseOf(pod: KubeObject): string {
  return text(maybe(pod, 'status'), 'phase');
}

export function hasEnded(pod: KubeObject): boolean {
  return phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed';
}

/** Counts as a replica: neither ended nor on its way out. */
export function isActive(pod: KubeObject): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function conditionOf(object: KubeObject | undefined, type: string): JsonObject | undefined {
  return items(maybe(object, 'status'), 'conditions').find((condition) => text(condition, 'type') === type);
}

export function isReady(pod: KubeObject): boolean {
  return text(conditionOf(pod, 'Ready'), 'status') === 'True';
}

/** When the pod became ready, in milliseconds; undefined while it is not, or where nobody says. */
export function readySince(pod: KubeObject): number | undefined {
  const condition = conditionOf(pod, 'Ready');
  return text(condition, 'status') === 'True' ? millisecondsAt(condition, 'lastTransitionTime') : undefined;
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: KubeObject, minReadySeconds: number, now: Date): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now.getTime();
}

/** Milliseconds until the next ready pod becomes available; undefined when none is waiting. */
export function untilNextAvailable(
  pods: readonly KubeObject[],
  minReadySeconds: number,
  now: Date,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = readySince(pod);
    const wait = since === undefined ? 0 : since + minReadySeconds * 1000 - now.getTime();
    return wait > 0 ? [wait] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** A time field in milliseconds; undefined where it is absent. */
export function millisecondsAt(from: JsonObject | undefined, key: string): number | undefined {
  const value = from === undefined ? undefined : own(from, key);
  return typeof value === 'string' ? Date.parse(value) : undefined;
}

export function createdAt(object: KubeObject): number {
  return Date.parse(object.metadata.creationTimestamp ?? '') || 0;
}
