import type { Schema } from '../schema/open-api.js';
import { findElement, setElement, type ElementKeys } from '../yaml/elements.js';
import { field, getField, setField, setScalar } from '../yaml/fields.js';
import { emptyNode, isEmpty, isEmptyMap, isNull, isPresent, scalar, type YamlNode } from '../yaml/node.js';
import type { Merged, Pair } from './pair.js';

interface ListMerge {
  readonly schema: Schema;
  /** The fields that tell elements apart; none for a list of scalars. */
  readonly keys: readonly string[];
  readonly newElements: 'first' | 'last';
  merge(pair: Pair, known: Schema | undefined): Merged;
}

/** Merges two lists element by element. `dest` is the list that is changed, and the first of the pair. */
export function mergeElements(pair: Pair, dest: YamlNode, list: ListMerge): YamlNode | undefined {
  const sources = list.newElements === 'first' ? [pair.patch, pair.dest] : [pair.dest, pair.patch];
  const isPrimitive = list.keys.length === 0;
  const keys = isPrimitive ? [''] : list.keys;
  const rows = isPrimitive ? primitiveRows(sources) : keyRows(sources, keys);
  if (keys.length > 1) unify(rows);
  const merged = emptyNode('seq');
  let used: readonly string[] = [];
  for (const row of rows) {
    const wanted = usableKeys(rows, row, keys);
    used = wanted.keys;
    const element = mergeElement(pair, wanted, list);
    if (element === undefined || !isPresent(element) || isEmptyMap(element)) {
      for (const _ of wanted.keys) setElement(dest, undefined, wanted);
      continue;
    }
    fillKeys(element, wanted);
    setElement(merged, element, wanted);
  }
  const [before, after] = list.newElements === 'first' ? [merged, dest] : [dest, merged];
  const result = rows.length === 0 ? dest : appendAll(before, after, used);
  return isNull(result) ? undefined : result;
}

function mergeElement(pair: Pair, wanted: ElementKeys, list: ListMerge): YamlNode | undefined {
  const own = usableKeys([wanted.values], wanted.values, wanted.keys);
  const below = { dest: find(pair.dest, own), patch: find(pair.patch, own) };
  return list.merge(below, list.schema.elements()).node;
}

function find(source: YamlNode | undefined, wanted: ElementKeys): YamlNode | undefined {
  return wanted.keys.length === wanted.values.length ? findElement(source, wanted) : undefined;
}

/** An element that only one side has may lack a key that the other's has. */
function fillKeys(element: YamlNode, { keys, values }: ElementKeys): void {
  for (const [index, key] of keys.entries()) {
    const value = values[index] ?? '';
    if (value === '' || field(element, key) !== undefined) continue;
    if (key === '') setScalar(element, scalar(value));
    else setField(element, key, scalar(value));
  }
}

/** The texts of the keys of every element, each combination once, in order; '' for a key that is missing. */
function keyRows(sources: readonly (YamlNode | undefined)[], keys: readonly string[]): string[][] {
  const rows: string[][] = [];
  const seen = new Set<string>();
  for (const source of sources) {
    for (const item of source?.items ?? []) {
      const row = keys.map((key) => keyText(field(item, key)));
      const mark = JSON.stringify(row);
      if (!seen.has(mark)) rows.push(row);
      seen.add(mark);
    }
  }
  return rows;
}

function keyText(node: YamlNode | undefined): string {
  return node === undefined || isEmpty(node) ? '' : node.value;
}

function primitiveRows(sources: readonly (YamlNode | undefined)[]): string[][] {
  const values = new Set(sources.flatMap((source) => source?.items.map((item) => item.value) ?? []));
  return [...values].map((value) => [value]);
}

/** Two rows that agree where both have a text mean the same element: port 80, and port 80 with its protocol. */
function unify(rows: string[][]): void {
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < rows.length; j++) {
      const both = unified(rows[i] ?? [], rows[j] ?? []);
      if (both === undefined) continue;
      rows[i] = both;
      rows[j] = both;
    }
  }
}

function unified(a: readonly string[], b: readonly string[]): string[] | undefined {
  if (a.length !== b.length) return undefined;
  let common = false;
  const row: string[] = [];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? '';
    if (x === y) common = true;
    else if (x !== '' && y !== '') return undefined;
    row.push(x !== '' ? x : y);
  }
  return common ? row : undefined;
}

/** Only keys that some row has a text for; all of them where none has. */
function usableKeys(
  rows: readonly (readonly string[])[],
  row: readonly string[],
  keys: readonly string[],
): ElementKeys {
  const known = new Set<string>();
  for (const values of rows)
    for (const [index, value] of values.entries()) if (value !== '') known.add(keys[index] ?? '');
  if (known.size === 0) return { keys, values: row };
  return {
    keys: keys.filter((key) => known.has(key)),
    values: row.filter((value, index) => value !== '' || known.has(keys[index] ?? '')),
  };
}

/** Adds elements to a list, each in place of the one that has the same keys. */
function appendAll(list: YamlNode, more: YamlNode, keys: readonly string[]): YamlNode {
  for (const element of [...more.items]) {
    if ((keys[0] ?? '') === '') {
      setElement(list, element, { keys: [''], values: [element.value] });
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      const value = getField(element, key);
      // Kustomize goes on after this with the keys it has found so far.
      if (value === undefined) list.addItem(element);
      else values.push(value.value);
    }
    if (keys.length > 1) setElement(list, undefined, { keys, values });
    setElement(list, element, { keys, values });
  }
  return list;
}
