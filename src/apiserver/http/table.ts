import type { Json, JsonObject } from '../../model/json/index.js';
import type { KubeObject, ObjectMeta } from '../../model/kubernetes/index.js';
import type { Column, ResourceType } from '../resources/index.js';

/** How much of each object a Table row carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

type Printable = Pick<ResourceType, 'columns' | 'strategy'>;

/** The meta/v1 Table of some objects, as `kubectl get` prints it. */
export function tableOf(
  type: Printable,
  objects: readonly KubeObject[],
  metadata: JsonObject,
  include: IncludeObject,
  now: Date,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: type.columns.map(definition),
    rows: objects.map((object) => rowOf(type, object, include, now)),
  };
}

function definition(column: Column): JsonObject {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority,
  };
}

function rowOf(type: Printable, object: KubeObject, include: IncludeObject, now: Date): Json {
  const cells = type.columns.map((column) => column.cell(object, now));
  const conditions = type.strategy.rowConditions?.(object) ?? [];
  const marks = conditions.length === 0 ? {} : { conditions };
  if (include === 'None') return { cells, ...marks, object: null };
  return { cells, ...marks, object: include === 'Object' ? object : partialMetadata(object) };
}

/** The real server keeps this counter of a DaemonSet in a field and writes the annotation only into whole objects. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Only apiVersion, kind and metadata: what PartialObjectMetadata carries. */
export function partialMetadata(object: KubeObject): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.kind === 'DaemonSet' ? withoutCounter(object.metadata) : object.metadata,
  };
}

function withoutCounter({ annotations = {}, ...rest }: ObjectMeta): ObjectMeta {
  const kept = Object.entries(annotations).filter(([key]) => key !== TEMPLATE_GENERATION);
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}
