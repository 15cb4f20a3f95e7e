import {
  equal,
  isArray,
  isObject,
  own,
  parseJson,
  put,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { elementOf, itemKey, mergeKeys } from './lists.js';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What was applied client-side last, or undefined where nothing says so. */
export function lastAppliedOf(live: KubeObject): JsonObject | undefined {
  const annotations = isObject(live.metadata.annotations) ? live.metadata.annotations : undefined;
  const text = annotations === undefined ? undefined : own(annotations, LAST_APPLIED);
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    // A broken annotation says nothing about what was applied.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/**
 * The fields of the annotation in the form of fieldsV1; with a node, only those that it claims too: a field that
 * somebody else changed since is theirs.
 */
export function appliedNode(live: KubeObject, node: JsonObject | undefined): JsonObject | undefined {
  const applied = lastAppliedOf(live);
  if (applied === undefined) return undefined;
  const metadata = isObject(applied.metadata) ? { ...applied.metadata } : {};
  const { apiVersion: _version, kind: _kind, status: _status, ...fields } = applied;
  const { name: _name, namespace: _namespace, ...labelled } = metadata;
  const stated = { ...fields, metadata: labelled };
  return node === undefined ? nodeOf(stated) : claimed(node, stated);
}

/** Only the parts of a node that the applied value has. */
function claimed(node: JsonObject, applied: Json): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(node)) {
    const child = own(node, key);
    if (key === '.') put(result, key, child);
    else if (isObject(child)) {
      const value = partOf(applied, key);
      if (value === undefined || value === null) continue;
      const below = claimed(child, value);
      // A container of which no part was applied would look like a whole.
      if (Object.keys(below).length > 0 || Object.keys(child).length === 0) put(result, key, below);
    }
  }
  return result;
}

function partOf(value: Json, key: string): Json | undefined {
  if (key.startsWith('f:')) return isObject(value) ? own(value, key.slice(2)) : undefined;
  const element = elementOf(key);
  if (!isArray(value) || element === undefined) return undefined;
  if (element.kind === 'value') return value.find((item) => equal(item, element.value));
  if (element.kind === 'index') return value[element.index];
  if (element.kind !== 'key') return undefined;
  const names = element.fields.map(([name]) => name);
  return value.find((item) => itemKey(item, names) === key);
}

/** Everything that an applied value says, as claims. Lists without known keys are one piece. */
function nodeOf(value: Json, name = ''): JsonObject {
  const node: JsonObject = {};
  if (isObject(value))
    for (const key of Object.keys(value)) put(node, `f:${key}`, nodeOf(own(value, key) ?? null, key));
  if (isArray(value)) addItems(node, value, name);
  return node;
}

function addItems(node: JsonObject, list: JsonArray, name: string): void {
  const names = mergeKeys(name, list);
  if (names === undefined) return;
  for (const item of list) {
    const key = itemKey(item, names);
    if (key !== undefined) put(node, key, { '.': {}, ...nodeOf(item) });
  }
}
