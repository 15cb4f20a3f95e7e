import { fieldElement, type FieldSet } from '../../model/kubernetes/index.js';
import { isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { itemElement } from './list-element.js';
import { fieldShape, formOf, type ListShape, type MapShape, type Shape } from './shape.js';

/**
 * The value without the fields and items of a set. A list or map that loses its last part becomes null, and so does one
 * that is owned as a whole but of which the set names a part.
 */
export function removeFields(value: Json, fields: FieldSet, shape: Shape): Json {
  const form = formOf(shape, value);
  if (form === 'map' && shape.map !== undefined) {
    return isObject(value) && !shape.map.atomic ? removeFromMap(value, fields, shape.map) : null;
  }
  if (form === 'list' && shape.list !== undefined) {
    return isArray(value) && shape.list.kind !== 'atomic' ? removeFromList(value, fields, shape.list) : null;
  }
  return value;
}

function removeFromMap(value: JsonObject, fields: FieldSet, map: MapShape): Json {
  const kept: JsonObject = {};
  let any = false;
  for (const name of Object.keys(value)) {
    const child = own(value, name);
    const node = fields.node(fieldElement(name));
    if (child === undefined || node?.member === true) continue;
    put(kept, name, node?.children === undefined ? child : removeFields(child, node.children, fieldShape(map, name)));
    any = true;
  }
  return any ? kept : null;
}

function removeFromList(items: JsonArray, fields: FieldSet, list: ListShape): Json {
  const kept: JsonArray = [];
  for (const item of items) {
    const found = itemElement(list, item);
    const node = 'error' in found ? undefined : fields.node(found.element);
    if (node?.member === true) continue;
    kept.push(node?.children === undefined ? item : removeFields(item, node.children, list.item));
  }
  return kept.length > 0 ? kept : null;
}
