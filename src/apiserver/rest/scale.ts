import { clone, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { labelSelectorOf, labelSelectorText, type KubeObject } from '../../model/kubernetes/index.js';
import { invalid, invalidField } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';

interface ScalePaths {
  readonly specPath: string;
  readonly statusPath: string;
  readonly selectorPath?: string;
}

/** Where the number of replicas, its report and the selector are. */
export function scalePaths(type: ResourceType): ScalePaths {
  return type.subresources.get('scale')?.scale ?? { specPath: '.spec.replicas', statusPath: '.status.replicas' };
}

/** The autoscaling/v1 Scale of an object. */
export function scaleOf(type: ResourceType, object: KubeObject): KubeObject {
  const paths = scalePaths(type);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const wanted = read(object, paths.specPath);
  const selector = scaledPodsOf(type, object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: typeof wanted === 'number' && wanted !== 0 ? { replicas: wanted } : {},
    status: { replicas: Number(read(object, paths.statusPath) ?? 0), ...(selector === '' ? {} : { selector }) },
  };
}

/** A copy of the object with the scale's number of replicas. */
export function withScale(type: ResourceType, object: KubeObject, scale: KubeObject): KubeObject {
  const spec = scale['spec'];
  const replicas = isObject(spec) ? (own(spec, 'replicas') ?? 0) : 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const name = object.metadata.name ?? '';
    if (type.custom)
      throw invalid(type, name, [
        invalidField(scalePaths(type).specPath, replicas, 'should be a non-negative integer'),
      ]);
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  const next = clone(object);
  write(next, scalePaths(type).specPath, replicas);
  const { resourceVersion, uid } = scale.metadata;
  if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
  if (uid !== undefined) next.metadata.uid = uid;
  return next;
}

/** The selector of the pods of an object that can be scaled, as text; empty where its kind does not say. */
export function scaledPodsOf(type: ResourceType, object: KubeObject): string {
  const { selectorPath } = scalePaths(type);
  if (selectorPath !== undefined) return String(read(object, selectorPath) ?? '');
  const selector = read(object, '.spec.selector');
  if (type.custom || !isObject(selector)) return '';
  // ReplicationController selects by a plain map; the others by a LabelSelector.
  return labelSelectorText(
    labelSelectorOf(type.kind === 'ReplicationController' ? { matchLabels: selector } : selector),
  );
}

function read(object: JsonObject, path: string): Json | undefined {
  return path
    .split('.')
    .slice(1)
    .reduce<Json | undefined>((at, name) => (isObject(at) ? own(at, name) : undefined), object);
}

function write(object: JsonObject, path: string, value: Json): void {
  const names = path.split('.').slice(1);
  let at = object;
  for (const name of names.slice(0, -1)) {
    const next = own(at, name);
    if (isObject(next)) at = next;
    else {
      const created: JsonObject = {};
      put(at, name, created);
      at = created;
    }
  }
  put(at, names.at(-1) ?? '', value);
}
