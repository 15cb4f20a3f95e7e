import type { Difference } from '../fields/index.js';
import {
  clone,
  drop,
  equal,
  formatPointer,
  getPointer,
  isArray,
  isObject,
  own,
  parsePointer,
  put,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/**
 * The live object with the differing fields as git wants them. What the server or a controller added, and what a rule
 * ignores, stays in both, so that a comparison of the two shows only what differs.
 */
export function applyDifferences(live: KubeObject, target: KubeObject, differences: readonly Difference[]): KubeObject {
  const result = clone(live);
  const changes = differences.filter(({ kind }) => kind !== 'extra');
  for (const { pointer, kind, target } of changes) set(result, pointer, target, kind === 'missing');
  // From the back: taking out an item moves those behind it.
  const extra = differences.filter(
    ({ pointer, kind, live: value }) => kind === 'extra' && equal(getPointer(live, pointer), value),
  );
  for (const { pointer } of [...extra].sort((a, b) => indexOf(b.pointer) - indexOf(a.pointer)))
    take(result, target, pointer);
  return result;
}

function indexOf(pointer: string): number {
  const last = parsePointer(pointer).at(-1) ?? '';
  return /^\d+$/.test(last) ? Number(last) : -1;
}

function set(object: KubeObject, pointer: string, value: Json | undefined, isNew: boolean): void {
  const parts = parsePointer(pointer);
  const last = parts.pop();
  const parent = last === undefined ? undefined : reach(object, parts);
  if (last === undefined || value === undefined) return;
  if (isObject(parent)) put(parent, last, clone(value));
  else if (isArray(parent)) parent.splice(Math.min(Number(last), parent.length), isNew ? 0 : 1, clone(value));
}

/** The parent of a field, with objects made on the way where live has none. */
function reach(object: JsonObject, parts: readonly string[]): Json | undefined {
  let current: Json | undefined = object;
  for (const part of parts) {
    if (isArray(current)) current = current[Number(part)];
    else if (isObject(current)) {
      if (own(current, part) === undefined || own(current, part) === null) put(current, part, {});
      current = own(current, part);
    } else return undefined;
  }
  return current;
}

/** Takes a field away, and the maps around it that held nothing else and that git does not have. */
function take(object: KubeObject, target: KubeObject, pointer: string): void {
  const parts = parsePointer(pointer);
  const last = parts.pop();
  const parent = last === undefined ? undefined : getPointer(object, parts);
  if (last === undefined) return;
  if (isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) {
    drop(parent, last);
    if (parts.length > 0 && Object.keys(parent).length === 0 && getPointer(target, parts) === undefined)
      take(object, target, formatPointer(parts));
  }
}
