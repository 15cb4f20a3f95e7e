import { equal, isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { FieldSet, fieldElement, type FieldNode, type PathElement, type Schema } from '../../model/kubernetes/index.js';
import { itemElement } from './list-element.js';
import { fieldShape, formOf, shapeOf, type Form, type ListShape, type MapShape, type Shape } from './shape.js';

/** Which fields a write added, changed and removed. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(before: Json, after: Json, schema: Schema): Comparison {
  return compareShaped(before, after, shapeOf(schema));
}

export function compareShaped(before: Json, after: Json, shape: Shape): Comparison {
  const marks = compareAt(before, after, shape);
  return { added: setOf(marks?.added), modified: setOf(marks?.modified), removed: setOf(marks?.removed) };
}

export function isSame(comparison: Comparison): boolean {
  return comparison.added.isEmpty() && comparison.modified.isEmpty() && comparison.removed.isEmpty();
}

function setOf(nodes: FieldNode[] | undefined): FieldSet {
  return below(nodes) ?? FieldSet.empty();
}

type Change = 'added' | 'modified' | 'removed';
const CHANGES: readonly Change[] = ['added', 'modified', 'removed'];

/** What differs at one value: the value itself, and below it. Built only where something differs. */
interface Marks {
  self?: Change;
  /** A second change of the value itself: items that shared a key are removed as one, then the item left is added. */
  also?: Change;
  added?: FieldNode[];
  modified?: FieldNode[];
  removed?: FieldNode[];
}

function compareAt(before: Json | undefined, after: Json | undefined, shape: Shape): Marks | undefined {
  if (before === after) return undefined;
  if (before === undefined || after === undefined) return compareOneSided(before, after, shape);
  const form = formOf(shape, after);
  const marks = compareAs(form, before, after, shape);
  // A value without schema may change its form; then both views count.
  const old = formOf(shape, before);
  return old === form ? marks : join(compareAs(old, before, after, shape), marks);
}

/** What appears or vanishes does so with everything in it, lists and maps included. */
function compareOneSided(before: Json | undefined, after: Json | undefined, shape: Shape): Marks {
  if (after !== undefined) {
    const added = nodesBelow(after, shape);
    return added === undefined ? { self: 'added' } : { self: 'added', added };
  }
  const removed = nodesBelow(before ?? null, shape);
  return removed === undefined ? { self: 'removed' } : { self: 'removed', removed };
}

function nodesBelow(value: Json, shape: Shape): FieldNode[] | undefined {
  if (isObject(value)) return shape.map === undefined || shape.map.atomic ? undefined : fieldNodes(value, shape.map);
  if (isArray(value))
    return shape.list === undefined || shape.list.kind === 'atomic' ? undefined : itemNodes(value, shape.list);
  return undefined;
}

function fieldNodes(value: JsonObject, map: MapShape): FieldNode[] | undefined {
  const nodes: FieldNode[] = [];
  for (const name of Object.keys(value)) {
    const child = own(value, name);
    if (child !== undefined)
      nodes.push({
        element: fieldElement(name),
        member: true,
        children: below(nodesBelow(child, fieldShape(map, name))),
      });
  }
  return nodes.length === 0 ? undefined : nodes;
}

function itemNodes(items: JsonArray, list: ListShape): FieldNode[] | undefined {
  const nodes = new Map<string, FieldNode>();
  for (const item of items) {
    const found = itemElement(list, item);
    // Validation refuses an item without key later; items that share a key are one whole.
    if (!('error' in found))
      nodes.set(found.text, {
        element: found.element,
        member: true,
        children: nodes.has(found.text) ? undefined : below(nodesBelow(item, list.item)),
      });
  }
  return nodes.size === 0 ? undefined : [...nodes.values()];
}

function below(nodes: FieldNode[] | undefined): FieldSet | undefined {
  return nodes === undefined ? undefined : FieldSet.fromNodes(nodes);
}

function compareAs(form: Form, before: Json, after: Json, shape: Shape): Marks | undefined {
  if (form === 'map' && shape.map !== undefined && !shape.map.atomic) {
    const [b, a] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    if (Object.keys(b).length > 0 || Object.keys(a).length > 0) return compareMaps(b, a, shape.map);
  } else if (form === 'list' && shape.list !== undefined && shape.list.kind !== 'atomic') {
    const [b, a] = [isArray(before) ? before : [], isArray(after) ? after : []];
    if (b.length > 0 || a.length > 0) return compareLists(b, a, shape.list);
  }
  // A leaf, or a list or map that is owned as a whole or empty on both sides.
  return equal(before, after) ? undefined : { self: 'modified' };
}

function compareMaps(before: JsonObject, after: JsonObject, map: MapShape): Marks | undefined {
  let marks: Marks | undefined;
  for (const name of Object.keys(after)) {
    const old = own(before, name);
    const value = own(after, name);
    const found = old === value ? undefined : compareAt(old, value, fieldShape(map, name));
    if (found !== undefined) note((marks ??= {}), fieldElement(name), found);
  }
  for (const name of Object.keys(before)) {
    const old = own(before, name);
    if (old !== undefined && own(after, name) === undefined)
      note((marks ??= {}), fieldElement(name), compareOneSided(old, undefined, fieldShape(map, name)));
  }
  return marks;
}

interface Twin {
  readonly element: PathElement;
  readonly before: Json[];
  readonly after: Json[];
}

function compareLists(before: JsonArray, after: JsonArray, list: ListShape): Marks {
  const twins = new Map<string, Twin>();
  gather(twins, before, list, 'before');
  gather(twins, after, list, 'after');
  const marks: Marks = {};
  for (const twin of twins.values()) compareItems(marks, twin, list);
  return marks;
}

function gather(twins: Map<string, Twin>, items: JsonArray, list: ListShape, side: 'before' | 'after'): void {
  for (const item of items) {
    const found = itemElement(list, item);
    // Validation refuses such an item later; nobody can own it.
    if ('error' in found) continue;
    let twin = twins.get(found.text);
    if (twin === undefined) twins.set(found.text, (twin = { element: found.element, before: [], after: [] }));
    twin[side].push(item);
  }
}

/** Items that share a key are one whole: they are compared, added and removed together. */
function compareItems(marks: Marks, { element, before, after }: Twin, list: ListShape): void {
  if (before.length <= 1 && after.length <= 1) {
    note(marks, element, compareAt(before[0], after[0], list.item));
  } else if (before.length > 1 && after.length > 1) {
    if (!equal(before, after)) note(marks, element, { self: 'modified' });
  } else if (before.length > 1) {
    note(marks, element, join(compareAt(undefined, after[0], list.item), { self: 'removed' }));
  } else {
    note(marks, element, join(compareAt(before[0], undefined, list.item), { self: 'added' }));
  }
}

function note(marks: Marks, element: PathElement, found: Marks | undefined): void {
  if (found === undefined) return;
  for (const change of CHANGES) {
    const member = found.self === change || found.also === change;
    const nodes = found[change];
    if (member || nodes !== undefined) (marks[change] ??= []).push({ element, member, children: below(nodes) });
  }
}

function join(first: Marks | undefined, second: Marks | undefined): Marks | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const marks: Marks = { ...first };
  if (second.self !== undefined) marks[marks.self === undefined ? 'self' : 'also'] = second.self;
  for (const change of CHANGES) {
    const nodes = second[change];
    if (nodes !== undefined) marks[change] = [...(marks[change] ?? []), ...nodes];
  }
  return marks;
}
