import { clone, drop, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, items, maybe, sub, text } from '../../resources/index.js';
import { podFromTemplate } from '../common/pod-control.js';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
export const REVISION_LABEL = 'controller-revision-hash';

export function specOf(set: KubeObject): JsonObject {
  return sub(set, 'spec');
}

/** `web-2` is number 2 of `web`; other names belong to nobody. */
export function parentAndOrdinal(pod: KubeObject): { parent: string; ordinal: number } {
  const match = /^(.*)-(\d+)$/.exec(pod.metadata.name ?? '');
  return match ? { parent: match[1] ?? '', ordinal: Number(match[2]) } : { parent: '', ordinal: -1 };
}

export function ordinalOf(pod: KubeObject): number {
  return parentAndOrdinal(pod).ordinal;
}

export function startOrdinal(set: KubeObject): number {
  return count(sub(set, 'spec.ordinals'), 'start');
}

export function isInRange(set: KubeObject, ordinal: number): boolean {
  return ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + count(specOf(set), 'replicas');
}

export function revisionOfPod(pod: KubeObject): string {
  const value = own(pod.metadata.labels ?? {}, REVISION_LABEL);
  return typeof value === 'string' ? value : '';
}

export function claimName(set: KubeObject, template: JsonObject, ordinal: number): string {
  return `${text(sub(template, 'metadata'), 'name')}-${set.metadata.name ?? ''}-${ordinal}`;
}

export function claimTemplates(set: KubeObject): JsonObject[] {
  return items(specOf(set), 'volumeClaimTemplates');
}

/** The pod of one ordinal in one revision: stable name, host name and claims. */
export function newPod(set: KubeObject, template: JsonObject, revision: string, ordinal: number): KubeObject {
  const pod = podFromTemplate(template, set);
  const name = `${set.metadata.name ?? ''}-${ordinal}`;
  pod.metadata.name = name;
  setIdentity(pod, ordinal);
  put((pod.metadata.labels ??= {}), REVISION_LABEL, revision);
  const spec = ensure(pod, 'spec');
  put(spec, 'hostname', name);
  const service = text(specOf(set), 'serviceName');
  if (service !== '') put(spec, 'subdomain', service);
  setStorage(set, pod, ordinal);
  return pod;
}

export function setIdentity(pod: KubeObject, ordinal: number): void {
  const labels = (pod.metadata.labels ??= {});
  put(labels, POD_NAME, pod.metadata.name ?? '');
  put(labels, POD_INDEX, String(ordinal));
}

/** Volumes named like a claim template are that ordinal's claims; they come first, as in the real controller. */
function setStorage(set: KubeObject, pod: KubeObject, ordinal: number): void {
  const templates = claimTemplates(set);
  if (templates.length === 0) return;
  const names = new Set(templates.map((template) => text(sub(template, 'metadata'), 'name')));
  const claims = templates.map((template) => ({
    name: text(sub(template, 'metadata'), 'name'),
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const spec = ensure(pod, 'spec');
  put(spec, 'volumes', [...claims, ...items(spec, 'volumes').filter((volume) => !names.has(text(volume, 'name')))]);
}

export function hasIdentity(pod: KubeObject): boolean {
  return own(pod.metadata.labels ?? {}, POD_NAME) === pod.metadata.name;
}

/** The claims of one ordinal, with the labels that select the set's pods. */
export function claimsOf(set: KubeObject, ordinal: number): KubeObject[] {
  return claimTemplates(set).map((template) => {
    const rest = clone(template);
    drop(rest, 'status');
    const metadata = sub(rest, 'metadata');
    const labels = { ...sub(metadata, 'labels'), ...(maybe(set, 'spec.selector.matchLabels') ?? {}) };
    return {
      ...rest,
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: {
        ...metadata,
        name: claimName(set, template, ordinal),
        namespace: set.metadata.namespace ?? '',
        labels: labels as Record<string, string>,
      },
    };
  });
}
