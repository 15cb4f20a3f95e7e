import { clone, isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { removePaths, type Path } from '../../src/diff/fields/path.js';
import { setPath } from '../../src/diff/jq/cell.js';

/** One change of what git says: a field or item removed, a value changed, a list turned round. */
export interface Mutation {
  readonly text: string;
  readonly target: KubeObject;
}

/** Every small change of an object that leaves its identity alone, in a fixed order. */
export function mutations(object: KubeObject): Mutation[] {
  const found: Mutation[] = [];
  for (const path of pathsOf(object, [])) {
    if (path.length < 2 || IDENTITY.has(path.join('.'))) continue;
    const value = at(object, path);
    found.push({ text: `without ${path.join('.')}`, target: removePaths(object, [path]) as KubeObject });
    const other = changed(value);
    if (other !== undefined)
      found.push({
        text: `${path.join('.')} = ${JSON.stringify(other)}`,
        target: setPath(clone(object), path, other) as KubeObject,
      });
  }
  return found;
}

const IDENTITY: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

function* pathsOf(value: Json, path: readonly (string | number)[]): Iterable<readonly (string | number)[]> {
  if (path.length > 0) yield path;
  if (isArray(value)) for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
  else if (isObject(value))
    for (const key of Object.keys(value)) yield* pathsOf(own(value, key) ?? null, [...path, key]);
}

function at(object: JsonObject, path: Path): Json {
  let value: Json | undefined = object;
  for (const step of path) {
    if (isArray(value)) value = value[Number(step)];
    else value = isObject(value) ? own(value, String(step)) : undefined;
  }
  return value ?? null;
}

function changed(value: Json): Json | undefined {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return /^\d+$/.test(value) ? `${value}1` : `${value}x`;
  if (isArray(value) && value.length > 1) return [...value].reverse();
  return undefined;
}
