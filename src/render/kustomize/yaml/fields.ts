import { readOneYaml } from '../../../model/yaml/index.js';
import { invalid } from '../fault.js';
import { isNull, isPresent, isText, scalar, YamlNode, type NodeKind } from './node.js';
import { writeNode } from './write-node.js';

const KIND_NAMES: Readonly<Record<NodeKind, string>> = {
  scalar: 'ScalarNode',
  map: 'MappingNode',
  seq: 'SequenceNode',
};

/** A node that is there and not null must have this kind. */
export function checkKind(node: YamlNode | undefined, kind: NodeKind): void {
  if (isPresent(node) && node.kind !== kind) {
    throw invalid(
      `wrong node kind: expected ${KIND_NAMES[kind]} but got ${KIND_NAMES[node.kind]}: ` +
        `node contents:\n${writeNode(node)}`,
    );
  }
}

/** The value under a name, where the node is a mapping that has it. */
export function field(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== 'map') return undefined;
  for (const entry of node.entries) if (entry.key.value === name) return entry.value;
  return undefined;
}

/** The same, but a node that is something else than a mapping is a fault. */
export function getField(node: YamlNode | undefined, name: string): YamlNode | undefined {
  checkKind(node, 'map');
  return isPresent(node) ? field(node, name) : undefined;
}

export function clearField(node: YamlNode | undefined, name: string): YamlNode | undefined {
  checkKind(node, 'map');
  const index = node?.entries.findIndex((entry) => entry.key.value === name) ?? -1;
  if (node === undefined || index < 0) return undefined;
  const [removed] = node.entries.splice(index, 1);
  return removed?.value;
}

/** Words and names that mean a string to every reader of YAML. */
const PLAIN_TEXT = /^[A-Za-z][A-Za-z0-9./-]{5,}$/;

/** Whether a text without quotes is something else than a string to a reader of YAML 1.1. */
export function isNonString(text: string): boolean {
  if (text === '' || text.includes('\n') || PLAIN_TEXT.test(text)) return false;
  try {
    return typeof readOneYaml(text, { dialect: 'kubernetes' }) !== 'string';
  } catch {
    // A text that is no YAML is only a text: Kustomize decides the same way.
    return false;
  }
}

function quoteWhereNeeded(value: YamlNode): void {
  if (isText(value) && value.style === 'plain' && isNonString(value.value)) value.style = 'double';
}

export interface SetOptions {
  /** Sets null where it would clear the field. */
  readonly keepNull?: boolean;
  /** The fields of the mapping, for callers who set many. */
  readonly known?: ReadonlyMap<string, YamlNode>;
}

/** Sets a field. A node that is there already keeps its style and becomes the value; null clears the field. */
export function setField(
  node: YamlNode,
  name: string,
  value: YamlNode | undefined,
  options: SetOptions = {},
): YamlNode | undefined {
  if (value !== undefined) quoteWhereNeeded(value);
  if (value === undefined || (isNull(value) && options.keepNull !== true)) return clearField(node, name);
  const there = options.known === undefined ? getField(node, name) : options.known.get(name);
  if (there !== undefined) {
    value.style = there.style;
    there.become(value);
    return there;
  }
  node.addEntry(scalar(name), value);
  return value;
}

/** Sets the value of a scalar in place; it keeps its style. */
export function setScalar(node: YamlNode, value: YamlNode): void {
  quoteWhereNeeded(value);
  checkKind(node, 'scalar');
  if (isNull(value)) return;
  value.style = node.style;
  node.become(value);
}

/** The elements of a list; any other node is a fault, null and nothing have none. */
export function elements(node: YamlNode | undefined): YamlNode[] {
  checkKind(node, 'seq');
  return node === undefined ? [] : [...node.items];
}

/** The fields of a mapping by their names; of two with the same name the first, as `field` finds it. */
export function fieldMap(node: YamlNode | undefined): Map<string, YamlNode> {
  const found = new Map<string, YamlNode>();
  if (node?.kind === 'map')
    for (const { key, value } of node.entries) if (!found.has(key.value)) found.set(key.value, value);
  return found;
}

/** Names of the fields of a mapping, in order. */
export function fieldNames(node: YamlNode | undefined): string[] {
  checkKind(node, 'map');
  return node?.entries.map(({ key }) => key.value) ?? [];
}
