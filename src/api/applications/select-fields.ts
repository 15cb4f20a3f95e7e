import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';

/**
 * Which fields a client wants, as a tree of names: `items.metadata.name,items.spec`, or with `-` in front those that it
 * does not want.
 */
export interface FieldChoice {
  readonly isExclusion: boolean;
  readonly tree: FieldTree;
}

type FieldTree = Map<string, FieldTree>;

const MAX_FIELDS = 200;

/** Undefined where a client takes everything. */
export function parseFields(text: string, prefix: string): FieldChoice | undefined {
  const isExclusion = text.startsWith('-');
  const names = (isExclusion ? text.slice(1) : text)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_FIELDS);
  if (names.length === 0) return undefined;
  const tree: FieldTree = new Map();
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    let node = tree;
    for (const part of name.slice(prefix.length).split('.')) {
      const next = node.get(part) ?? new Map<string, FieldTree>();
      node.set(part, next);
      node = next;
    }
  }
  return { isExclusion, tree };
}

/** The value with the chosen fields alone; items of a list are chosen from as if they stood there themselves. */
export function selectFields(value: JsonObject, { tree, isExclusion }: FieldChoice): JsonObject {
  const selected = isExclusion ? without(value, tree) : only(value, tree);
  return isObject(selected) ? selected : {};
}

function only(value: Json, tree: FieldTree): Json {
  if (tree.size === 0) return value;
  if (isArray(value)) return value.map((item) => only(item, tree));
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, below] of tree) {
    const field = own(value, name);
    if (field !== undefined) put(result, name, only(field, below));
  }
  return result;
}

function without(value: Json, tree: FieldTree): Json {
  if (isArray(value)) return value.map((item) => without(item, tree));
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const name of Object.keys(value)) {
    const [field, below] = [own(value, name), tree.get(name)];
    if (field === undefined || below?.size === 0) continue;
    put(result, name, below === undefined ? field : without(field, below));
  }
  return result;
}
