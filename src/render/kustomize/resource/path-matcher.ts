import { invalid } from '../fault.js';
import { compilePattern } from './selector.js';
import { readNode } from '../yaml/block-reader.js';
import { elements, field, getField, setField } from '../yaml/fields.js';
import { emptyNode, NULL_TAG, YamlNode, type NodeKind } from '../yaml/node.js';
import { isListIndex, isNumber, kindBefore, newElement, splitIndex } from '../yaml/path.js';
import { writeNode } from '../yaml/write-node.js';

/**
 * All nodes at a path: names of fields, indices, `*` for every element, `[name=pattern]` for those that match. `create`
 * makes what is missing, the last part as a node of this kind. A text that holds YAML is walked into.
 */
export function matchPath(node: YamlNode, path: readonly string[], create: NodeKind | undefined): YamlNode[] {
  const [part, ...rest] = path;
  if (part === undefined) return [node];
  if (isNumber(part)) return atIndex(node, Number(part), rest, create);
  if (isListIndex(part)) return matching(node, part, rest, create);
  if (part === '*') return elements(node).flatMap((element) => matchPath(element, rest, create));
  return inField(node, part, rest, create);
}

function inField(node: YamlNode, name: string, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  let value = getField(node, name);
  if (value === undefined) {
    if (create === undefined) return [];
    value = setField(node, name, emptyNode(kindBefore(rest[0] ?? '', create))) ?? emptyNode(create);
  }
  // What is found inside a text is a copy: only the caller can write it back.
  if (value.kind === 'scalar' && rest.length > 0) value = readNode(value.value) ?? new YamlNode('scalar', NULL_TAG, '');
  return matchPath(value, rest, create);
}

function atIndex(node: YamlNode, index: number, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  const all = elements(node);
  if (index === all.length && create !== undefined) {
    const made = emptyNode(kindBefore(rest[0] ?? '', create));
    node.addItem(made);
    all.push(made);
  }
  const element = all[index];
  if (element === undefined) throw invalid(`index ${index} specified but only ${all.length} elements found`);
  return matchPath(element, rest, create);
}

function matching(node: YamlNode, part: string, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  const { name, value } = splitIndex(part);
  const found = search(node, name, value, rest, create);
  if (found.length > 0 || create === undefined) return found;
  elements(node);
  node.addItem(newElement(name, value));
  const made = search(node, name, value, rest, create);
  if (made.length === 0) throw invalid(`failed to create element for "${part}"`);
  return made;
}

function search(
  node: YamlNode,
  name: string,
  pattern: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] {
  const compiled = compilePattern(pattern);
  const matches = (tested: YamlNode): boolean => compiled.test(writeNode(tested).trim());
  if (name === '') return elements(node).filter(matches);
  return elements(node).flatMap((element) => {
    const tested = field(element, name);
    return tested !== undefined && matches(tested) ? matchPath(element, rest, create) : [];
  });
}
