import { invalid } from '../fault.js';
import { findElement } from './elements.js';
import { checkKind, elements, getField, setField } from './fields.js';
import { emptyNode, scalar, YamlNode, type NodeKind } from './node.js';

/** Splits at a delimiter that no backslash stands before; one at the start does not count. */
export function splitPath(path: string, delimiter: string): string[] {
  let parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === '') parts = parts.slice(1);
  const result = parts.slice(0, 1);
  for (const part of parts.slice(1)) {
    const last = result.at(-1) ?? '';
    if (last.endsWith('\\')) result[result.length - 1] = last.slice(0, -1) + delimiter + part;
    else result.push(part);
  }
  return result;
}

/** Splits at dots outside brackets. `[a=b.c]` stays as it is, `[a.b.c]` loses its brackets. */
export function splitFieldPath(path: string): string[] {
  const split = splitPath(path, '.');
  const result: string[] = [];
  for (let i = 0; i < split.length; i++) {
    let part = split[i] ?? '';
    if (part.startsWith('[') && !part.endsWith(']')) {
      while (i < split.length - 1) {
        part += `.${split[++i] ?? ''}`;
        if (part.endsWith(']')) break;
      }
      if (!part.includes('=')) part = part.replace(/^[[\]]+|(?<![[\]])[[\]]+$/g, '');
    }
    result.push(part);
  }
  return result;
}

export function isListIndex(part: string): boolean {
  return part.startsWith('[') && part.endsWith(']');
}

export function isNumber(part: string): boolean {
  return /^\+?\d{1,18}$/.test(part);
}

/** `[name=value]` or `[=value]`. */
export function splitIndex(part: string): { name: string; value: string } {
  const inner = part.slice(1, -1);
  const at = inner.indexOf('=');
  if (at < 0) throw invalid('list path element must contain fieldName=fieldValue for element to match');
  return { name: inner.slice(0, at), value: inner.slice(at + 1) };
}

/**
 * What a missing part is created as: a list before an index, a mapping before a name, at the end what was asked for.
 */
export function kindBefore(next: string, last: NodeKind): NodeKind {
  if (isListIndex(next) || isNumber(next)) return 'seq';
  return next === '' ? last : 'map';
}

/** The node at a path, or undefined. */
export function lookup(node: YamlNode | undefined, path: readonly string[]): YamlNode | undefined {
  return walk(node, path, undefined);
}

/** The node at a path; parts that are missing are made, the last as a node of this kind. */
export function lookupCreate(node: YamlNode, kind: NodeKind, path: readonly string[]): YamlNode | undefined {
  return walk(node, path, kind);
}

function walk(node: YamlNode | undefined, path: readonly string[], create: NodeKind | undefined): YamlNode | undefined {
  const parts = path.map((part) => part.trim()).filter((part) => part !== '');
  let match = node;
  for (const [index, part] of parts.entries()) {
    if (match === undefined) return undefined;
    match = step(match, part, parts[index + 1] ?? '', create);
  }
  return match;
}

function step(node: YamlNode, part: string, next: string, create: NodeKind | undefined): YamlNode | undefined {
  if (isNumber(part)) return elements(node)[Number(part)];
  if (/^-\d+$/.test(part)) throw invalid(`array index ${part} cannot be negative`);
  if (part === '-') return elements(node).at(-1);
  if (part === '*') throw invalid('wildcard is not supported in PathGetter');
  if (isListIndex(part)) return element(node, part, create);
  const there = getField(node, part);
  if (there !== undefined || create === undefined) return there;
  // A null has no fields, and gets none.
  return setField(node, part, emptyNode(kindBefore(next, create)));
}

function element(node: YamlNode, part: string, create: NodeKind | undefined): YamlNode | undefined {
  const { name, value } = splitIndex(part);
  checkKind(node, 'seq');
  const found = findElement(node, { keys: [name], values: [value] });
  if (found !== undefined || create === undefined) return found;
  const made = newElement(name, value);
  node.addItem(made);
  return made;
}

/** The element that `[name=value]` describes. */
export function newElement(name: string, value: string): YamlNode {
  if (name === '') return scalar(value);
  const made = emptyNode('map');
  made.addEntry(scalar(name), scalar(value));
  return made;
}
