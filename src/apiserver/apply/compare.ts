import { equal, FieldSet, fieldElement, isArray, isObject, own, type FieldNode, type Json, type JsonArray, type JsonObject, type PathElement, type Schema } from '../../model/index.js';
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
  return nodes === undefined ? FieldSet.empty() : FieldSet.fromNodes(nodes);
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
  const form = formOf(shape, after === undefined ? before : after);
  const marks = compareAs(form, before, after, shape);
  if (before === undefined || after === undefined) return marks;
  // A value without schema may change its form; then both views count.
  const old = formOf(shape, before);
  return old === form ? marks : join(compareAs(old, before, after, shape), marks);
}

function compareAs(form: Form, before: Json | undefined, after: Json | undefined, shape: Shape): Marks | undefined {
  if (form === 'map' && shape.map !== undefined) {
    const [b, a] = [isObject(before) ? before : undefined, isObject(after) ? after : undefined];
    if (!shape.map.atomic && !(hasNoKeys(b) && hasNoKeys(a))) return withSelf(compareMaps(b, a, shape.map), before, after);
  } else if (form === 'list' && shape.list !== undefined) {
    const [b, a] = [isArray(before) ? before : undefined, isArray(after) ? after : undefined];
    if (shape.list.kind !== 'atomic' && ((b?.length ?? 0) > 0 || (a?.length ?? 0) > 0)) return withSelf(compareLists(b ?? [], a ?? [], shape.list), before, after);
  }
  return compareLeaves(before, after);
}

function hasNoKeys(object: JsonObject | undefined): boolean {
  return object === undefined || Object.keys(object).length === 0;
}

/** A leaf, or a list or map that is owned as a whole or empty on both sides. */
function compareLeaves(before: Json | undefined, after: Json | undefined): Marks | undefined {
  if (before === undefined) return { self: 'added' };
  if (after === undefined) return { self: 'removed' };
  return equal(before, after) ? undefined : { self: 'modified' };
}

/** A list or map that appears or vanishes is itself added or removed, besides what is in it. */
function withSelf(marks: Marks, before: Json | undefined, after: Json | undefined): Marks {
  if (before === undefined) marks.self = 'added';
  else if (after === undefined) marks.self = 'removed';
  return marks;
}

function compareMaps(before: JsonObject | undefined, after: JsonObject | undefined, map: MapShape): Marks {
  const marks: Marks = {};
  if (after !== undefined) {
    for (const name of Object.keys(after)) {
      const old = before === undefined ? undefined : own(before, name);
      const value = own(after, name);
      if (old !== value) note(marks, fieldElement(name), compareAt(old, value, fieldShape(map, name)));
    }
  }
  if (before !== undefined) {
    for (const name of Object.keys(before)) {
      if (after === undefined || own(after, name) === undefined) note(marks, fieldElement(name), compareAt(own(before, name), undefined, fieldShape(map, name)));
    }
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
    if (twin === undefined) twins.set(found.text, twin = { element: found.element, before: [], after: [] });
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

function note(marks: Marks, element: PathElement, below: Marks | undefined): void {
  if (below === undefined) return;
  for (const change of CHANGES) {
    const member = below.self === change || below.also === change;
    const nodes = below[change];
    if (member || nodes !== undefined) (marks[change] ??= []).push({ element, member, children: nodes === undefined ? undefined : FieldSet.fromNodes(nodes) });
  }
}

function join(first: Marks | undefined, second: Marks | undefined): Marks | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const marks: Marks = { ...first };
  if (second.self !== undefined) marks[marks.self === undefined ? 'self' : 'also'] = second.self;
  for (const change of CHANGES) {
    const nodes = second[change];
    if (nodes !== undefined) marks[change] = [...marks[change] ?? [], ...nodes];
  }
  return marks;
}
