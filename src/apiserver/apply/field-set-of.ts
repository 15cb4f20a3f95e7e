import { FieldSet, fieldElement, type FieldNode, type Schema } from '../../model/kubernetes/index.js';
import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { itemElement } from './list-element.js';
import { fieldShape, formOf, shapeOf, type ListShape, type MapShape, type Shape } from './shape.js';

/** Every leaf and list item that a value names: what a manager owns by applying it. */
export function fieldSetOf(value: Json, schema: Schema): FieldSet {
  return fieldsOf(value, shapeOf(schema));
}

export function fieldsOf(value: Json, shape: Shape): FieldSet {
  return FieldSet.fromNodes(visit(value, shape).nodes);
}

interface Visit {
  /** The value is owned as a whole. */
  readonly leaf: boolean;
  readonly nodes: readonly FieldNode[];
}

const LEAF: Visit = { leaf: true, nodes: [] };
const NOTHING: Visit = { leaf: false, nodes: [] };

function visit(value: Json, shape: Shape): Visit {
  const form = formOf(shape, value);
  if (form === 'map' && shape.map !== undefined && !shape.map.atomic)
    return isObject(value) ? visitMap(value, shape.map) : NOTHING;
  if (form === 'list' && shape.list !== undefined && shape.list.kind !== 'atomic')
    return isArray(value) ? visitList(value, shape.list) : NOTHING;
  return LEAF;
}

function visitMap(value: JsonObject, map: MapShape): Visit {
  const nodes: FieldNode[] = [];
  for (const name of Object.keys(value)) {
    const child = own(value, name);
    if (child === undefined) continue;
    const below = visit(child, fieldShape(map, name));
    const member = below.leaf || !map.fields.has(name) || isEmpty(child);
    if (member || below.nodes.length > 0) nodes.push(node(fieldElement(name), member, below.nodes));
  }
  return { leaf: false, nodes };
}

/** Null and `{}` name nothing below themselves, so they are members; an empty list is not. */
function isEmpty(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function visitList(items: JsonArray, list: ListShape): Visit {
  const nodes = new Map<string, FieldNode>();
  for (const item of items) {
    const found = itemElement(list, item);
    if ('error' in found) continue;
    // Items that share a key are owned together, as one.
    const below = nodes.has(found.text) ? [] : visit(item, list.item).nodes;
    nodes.set(found.text, node(found.element, true, below));
  }
  return { leaf: false, nodes: [...nodes.values()] };
}

function node(element: FieldNode['element'], member: boolean, below: readonly FieldNode[]): FieldNode {
  return { element, member, children: below.length === 0 ? undefined : FieldSet.fromNodes(below) };
}
