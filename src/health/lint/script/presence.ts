import type { Absence } from './value.js';
import { stepSchema, type SchemaStep } from './schema-step.js';
import type { JsonObject } from '../../../model/json/index.js';

/** Fields that every object has, whether its CRD names them or not. */
const OF_EVERY_OBJECT = ['apiVersion', 'kind', 'metadata'];
/** Fields of metadata that the API server writes on every object. */
const METADATA_ALWAYS = ['name', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];
/** Fields of metadata that many objects do not have. */
const METADATA_OFTEN_ABSENT = ['annotations', 'labels', 'ownerReferences', 'finalizers', 'deletionTimestamp'];
/** Fields that every condition has, whoever defined its type. */
const CONDITION_ALWAYS = ['type', 'status'];
/** Groups whose conditions are Kubernetes' own type, in which reason and message are required. */
const FULL_CONDITIONS = [
  /^gateway\.networking\.k8s\.io$/,
  /\.toolkit\.fluxcd\.io$/,
  /^policy$/,
  /^k8s\.mariadb\.com$/,
  /^networking\.k8s\.io$/,
];
const CONDITION_TEXTS = ['message', 'reason'];
/** Go leaves a counter out of the JSON when it is zero. */
const COUNTER = /(replicas|count|number|generation|succeeded|failed|active|available|ready|desired|nodes|instances)$/i;

export interface Presence {
  readonly absence: Absence;
  readonly step: SchemaStep;
}

/** Whether a field of the object is there when the value that holds it is; the CRD decides where it speaks. */
export function presenceOf(
  parent: readonly string[],
  name: string,
  { schema, group }: { schema: JsonObject | undefined; group: string },
): Presence {
  const isSilent = OF_EVERY_OBJECT.includes(parent[0] ?? name);
  const step = isSilent ? { kind: 'silent' as const } : stepSchema(schema, name);
  return { absence: absenceOf(parent, name, step, group), step };
}

function absenceOf(parent: readonly string[], name: string, step: SchemaStep, group: string): Absence {
  if (name === '[]') return 'never';
  const [root] = parent;
  if (root === undefined) return topLevel(name, step);
  if (root === 'metadata') return metadata(parent, name);
  if (step.kind === 'known') return step.isRequired ? 'never' : 'maybe';
  const isCondition = parent.at(-1) === '[]' && /conditions$/i.test(parent.at(-2) ?? '');
  if (isCondition && CONDITION_ALWAYS.includes(name)) return 'never';
  if (root === 'spec') return 'unknown';
  // What every element of a list has, only its author knows; the texts of a condition are optional in most APIs.
  if (parent.includes('[]'))
    return isCondition && CONDITION_TEXTS.includes(name) && !FULL_CONDITIONS.some((full) => full.test(group))
      ? 'maybe'
      : 'unknown';
  return 'maybe';
}

function topLevel(name: string, step: SchemaStep): Absence {
  if (OF_EVERY_OBJECT.includes(name)) return 'never';
  // Even a required status is absent until a controller writes it through the status subresource.
  if (name === 'status') return 'often';
  if (step.kind === 'known') return step.isRequired ? 'never' : 'maybe';
  return name === 'spec' ? 'unknown' : 'maybe';
}

function metadata(parent: readonly string[], name: string): Absence {
  if (parent.length > 1) return 'maybe';
  if (METADATA_ALWAYS.includes(name)) return 'never';
  return METADATA_OFTEN_ABSENT.includes(name) ? 'often' : 'unknown';
}

/** A number that its controller leaves out while it is zero. */
export function isCounter(path: readonly string[] | undefined): boolean {
  return path?.[0] === 'status' && COUNTER.test(path.at(-1) ?? '');
}
