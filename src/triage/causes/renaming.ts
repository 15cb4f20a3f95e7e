import { isArray, isObject, objectAt, own, textAt, type Json } from '../../model/json/index.js';
import type { Edit } from '../findings/index.js';
import type { Graph, Node } from '../graph/index.js';
import { fieldPath, templateOf } from '../rules/index.js';

/** A text of an object in which a wrong name stands, and what it must say. */
export interface NamePlace {
  readonly node: Node;
  readonly path: readonly (string | number)[];
  readonly text: string;
}

interface Names {
  readonly wrong: string;
  readonly right: string;
}

/** Descriptions are not deeper than this. */
const MAX_DEPTH = 20;

/**
 * Where the reference of a user is written: in the object that describes it, in the ConfigMap that it takes the value
 * from, or in a field of an operator's own. Only texts are changed, and of a text only the name.
 */
export function namePlaces(holder: Node, user: Node, field: string, names: Names, graph: Graph): NamePlace[] {
  if (field === '' || field.includes('[]')) return [];
  if (user !== holder && user.key.kind !== 'Pod') return placesIn(holder, names, ['spec']);
  const template = user === holder ? '' : templateOf(holder);
  if (user !== holder && template === '') return [];
  const path = fieldPath(template === '' ? field : `${template}.${field}`);
  const value = valueOf(holder.object, path);
  if (isObject(value)) return readPlaces(holder, path, value, names, graph);
  const text = typeof value === 'string' ? withName(value, names) : undefined;
  return text === undefined ? [] : [{ node: holder, path, text }];
}

export function editsOf(places: readonly NamePlace[]): Edit[] {
  return places.map(({ node, path, text }) => ({ object: node.key, path, change: { kind: 'set', value: text } }));
}

/** A variable, or all variables, that are read from a ConfigMap. The content of Secrets is nobody's business. */
function readPlaces(
  holder: Node,
  path: readonly (string | number)[],
  value: Json,
  names: Names,
  graph: Graph,
): NamePlace[] {
  const source = path.at(-1);
  if (source !== 'configMapKeyRef' && source !== 'configMapRef') return [];
  const node = graph.store.get({
    group: '',
    kind: 'ConfigMap',
    namespace: holder.key.namespace,
    name: textAt(value, 'name'),
  });
  const data = objectAt(node?.object, 'data');
  if (node === undefined || data === undefined) return [];
  const keys = source === 'configMapKeyRef' ? [textAt(value, 'key')] : Object.keys(data).sort();
  return keys.flatMap((key) => {
    const text = withName(textAt(data, key), names);
    return text === undefined ? [] : [{ node, path: ['data', key], text }];
  });
}

function placesIn(node: Node, { wrong, right }: Names, path: readonly (string | number)[]): NamePlace[] {
  const value = valueOf(node.object, path);
  if (value === wrong) return [{ node, path, text: right }];
  if (path.length > MAX_DEPTH) return [];
  if (isArray(value)) return value.flatMap((_, index) => placesIn(node, { wrong, right }, [...path, index]));
  return isObject(value) ? Object.keys(value).flatMap((name) => placesIn(node, { wrong, right }, [...path, name])) : [];
}

function valueOf(object: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((value, step) => {
    if (isArray(value)) return typeof step === 'number' ? value[step] : undefined;
    return isObject(value) ? own(value, String(step)) : undefined;
  }, object);
}

/** A text in which the wrong name stands as a word, with the right one; undefined where it does not. */
export function withName(text: string, { wrong, right }: Names): string | undefined {
  let next = '';
  let rest = text;
  for (let at = rest.indexOf(wrong); at >= 0; at = rest.indexOf(wrong)) {
    const end = at + wrong.length;
    // A part of a longer name is another name; what follows a dot may be a namespace.
    const isWord = !/[\w.-]$/.test(next + rest.slice(0, at)) && !/^[\w-]/.test(rest.slice(end));
    next += rest.slice(0, at) + (isWord ? right : wrong);
    rest = rest.slice(end);
  }
  return next + rest === text ? undefined : next + rest;
}
