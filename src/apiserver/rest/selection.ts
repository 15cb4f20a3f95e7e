import { Fault } from '../../model/faults/index.js';
import {
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirement,
  type KubeObject,
} from '../../model/kubernetes/index.js';
import { badRequest } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';
import type { Stored } from '../store/index.js';

/** Which objects of a resource a list or watch wants; undefined means all. */
export type Selection = ((object: KubeObject) => boolean) | undefined;

/** Reads both selectors of a request. A metadata.name requirement in the path's form is a field selector too. */
export function readSelection(type: ResourceType, query: URLSearchParams): Selection {
  const labels = labelSelection(query.get('labelSelector') ?? '');
  const fields = fieldSelection(type, query.get('fieldSelector') ?? '');
  if (labels === undefined) return fields;
  if (fields === undefined) return labels;
  return (object) => labels(object) && fields(object);
}

function labelSelection(text: string): Selection {
  if (text === '') return undefined;
  const selector = parsed(() => parseLabelSelector(text));
  return (object) => matchesLabels(selector, object.metadata.labels);
}

function fieldSelection(type: ResourceType, text: string): Selection {
  if (text === '') return undefined;
  const requirements = parsed(() => parseFieldSelector(text));
  const checks = requirements.map((requirement) => fieldCheck(type, requirement));
  return (object) => checks.every((check) => check(object));
}

function fieldCheck(type: ResourceType, { field, operator, value }: FieldRequirement): (object: KubeObject) => boolean {
  const read = fieldReader(type, field);
  return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
}

function fieldReader(type: ResourceType, field: string): (object: KubeObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name ?? '';
  if (field === 'metadata.namespace' && type.namespaced) return (object) => object.metadata.namespace ?? '';
  const read = type.selectableFields.get(field);
  if (!read) throw badRequest(unknownFieldText(type, field));
  return read;
}

/** Kinds with fields of their own, and custom resources, say less about what they know. */
function unknownFieldText(type: ResourceType, field: string): string {
  if (type.custom || type.selectableFields.size > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Fault) throw badRequest(error.message);
    throw error;
  }
}

export function selects(
  selection: Selection,
  type: ResourceType,
  stored: Stored | undefined,
  read: (type: ResourceType, stored: Stored) => KubeObject,
): boolean {
  return stored !== undefined && (selection === undefined || selection(read(type, stored)));
}
