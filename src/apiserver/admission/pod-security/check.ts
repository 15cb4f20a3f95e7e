import type { JsonObject } from '../../../model/json/index.js';
import type { ObjectMeta } from '../../../model/kubernetes/index.js';
import { items, maybe, text } from '../../resources/index.js';

/** Why a pod is against a policy: a short reason and what exactly. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface PodParts {
  readonly metadata: ObjectMeta;
  readonly spec: JsonObject;
}

/** One rule of the Pod Security Standards, as it stands in a minor version of Kubernetes. */
export interface Check {
  readonly id: string;
  /** The first minor version that has the rule. */
  readonly since: number;
  /** Rules of the baseline that this one takes the place of. */
  readonly replaces?: string;
  test(pod: PodParts, minor: number): Violation | undefined;
}

export function containersOf(spec: JsonObject): JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => items(spec, list));
}

/** The pod's own security context, or a container's. */
export function contextOf(holder: JsonObject): JsonObject | undefined {
  return maybe(holder, 'securityContext');
}

export function namesOf(containers: readonly JsonObject[]): string[] {
  return containers.map((container) => text(container, 'name'));
}

export function quoted(list: readonly string[]): string {
  return list.map((each) => `"${each}"`).join(', ');
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function unique(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}

/** `container "a"`, `containers "a", "b"` */
export function containersText(containers: readonly JsonObject[]): string {
  return `${plural('container', containers.length)} ${quoted(namesOf(containers))}`;
}

/** `pod and container "a"`: who sets something; empty where nobody does. */
export function settersText(podSets: boolean, containers: readonly JsonObject[]): string {
  return [...(podSets ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

export function isWindows(spec: JsonObject): boolean {
  return text(maybe(spec, 'os'), 'name') === 'windows';
}
