import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type Json, type JsonObject, own } from '../../model/json/index.js';
import type { Manifest } from './manifest.js';

const TEXTS = ['name', 'generateName', 'namespace'];
const MAPS = ['labels', 'annotations'];

/**
 * Refuses metadata that no API server accepts: YAML reads `y`, `on` and `1` without quotes as a boolean or a number,
 * and names, labels and annotations are text. Such an object has no key by which it could be compared.
 */
export function checkMetadata({ object, origin: { file, line } }: Manifest): void {
  const problem = problemOf(object);
  if (problem !== undefined)
    throw new Fault('MANIFEST_INVALID', `${object.kind}: ${problem}`, { where: file === '' ? '' : `${file}:${line}` });
}

function problemOf(object: JsonObject): string | undefined {
  const { metadata } = object;
  if (metadata !== undefined && metadata !== null && !isObject(metadata))
    return `metadata is ${kindOf(metadata)}, it must be an object`;
  if (isObject(metadata)) {
    for (const field of TEXTS) {
      const problem = textProblem(`metadata.${field}`, own(metadata, field));
      if (problem !== undefined) return problem;
    }
    for (const field of MAPS) {
      const problem = mapProblem(`metadata.${field}`, own(metadata, field));
      if (problem !== undefined) return problem;
    }
  }
  if (typeof object.kind !== 'string' || !object.kind.endsWith('List') || !isArray(object.items)) return undefined;
  for (const [index, item] of object.items.entries()) {
    const problem = isObject(item) ? problemOf(item) : undefined;
    if (problem !== undefined) return `items[${index}]: ${problem}`;
  }
  return undefined;
}

function mapProblem(field: string, value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return `${field} is ${kindOf(value)}, it must be an object`;
  for (const [key, each] of Object.entries(value)) {
    const problem = textProblem(`${field}[${JSON.stringify(key)}]`, each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function textProblem(field: string, value: Json | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  if (typeof value === 'object') return `${field} is ${kindOf(value)}, it must be a string`;
  return `${field} is ${kindOf(value)} (${String(value)}), it must be a string: write it in quotes`;
}

function kindOf(value: Json): string {
  if (isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}
