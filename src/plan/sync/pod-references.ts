import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** What a pod cannot start without. */
export interface PodReference {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount' | 'PersistentVolumeClaim';
  readonly name: string;
}

/** Kinds with a pod template. A CronJob is left out: its pods start later. */
const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job', 'Rollout'];

/** The pod that an object starts; undefined where it starts none. */
export function podSpecOf({ kind, spec }: KubeObject): JsonObject | undefined {
  if (!isObject(spec)) return undefined;
  if (kind === 'Pod') return spec;
  const template = WORKLOADS.includes(kind) ? spec.template : undefined;
  return isObject(template) && isObject(template.spec) ? template.spec : undefined;
}

/** Everything that the pods of a workload name and that must be there; what is optional is left out. */
export function podReferences(object: KubeObject): PodReference[] {
  const spec = podSpecOf(object);
  if (spec === undefined) return [];
  const containers = [...items(spec.initContainers), ...items(spec.containers)];
  const found = [
    ...named('ServiceAccount', text(spec.serviceAccountName) || text(spec.serviceAccount)),
    ...containers.flatMap((container) => [
      ...items(container.envFrom).flatMap(ofEnvFrom),
      ...items(container.env).flatMap(ofEnv),
    ]),
    ...items(spec.volumes).flatMap(ofVolume),
  ];
  return [...new Map(found.map((each) => [`${each.kind}/${each.name}`, each])).values()];
}

function ofEnvFrom(entry: JsonObject): PodReference[] {
  return [...required('ConfigMap', entry.configMapRef), ...required('Secret', entry.secretRef)];
}

function ofEnv({ valueFrom }: JsonObject): PodReference[] {
  return isObject(valueFrom)
    ? [...required('ConfigMap', valueFrom.configMapKeyRef), ...required('Secret', valueFrom.secretKeyRef)]
    : [];
}

function ofVolume({ configMap, secret, persistentVolumeClaim, projected }: JsonObject): PodReference[] {
  return [
    ...required('ConfigMap', configMap),
    ...(isObject(secret) && secret.optional !== true ? named('Secret', text(secret.secretName)) : []),
    ...(isObject(persistentVolumeClaim) ? named('PersistentVolumeClaim', text(persistentVolumeClaim.claimName)) : []),
    ...(isObject(projected)
      ? items(projected.sources).flatMap((source) => [
          ...required('ConfigMap', source.configMap),
          ...required('Secret', source.secret),
        ])
      : []),
  ];
}

function required(kind: PodReference['kind'], reference: Json | undefined): PodReference[] {
  return isObject(reference) && reference.optional !== true ? named(kind, text(reference.name)) : [];
}

function named(kind: PodReference['kind'], name: string): PodReference[] {
  return name === '' ? [] : [{ kind, name }];
}

function items(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
