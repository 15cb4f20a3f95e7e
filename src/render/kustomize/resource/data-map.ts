import { clearField, field, fieldNames, setField } from '../yaml/fields.js';
import { STRING_TAG, textOf, YamlNode } from '../yaml/node.js';
import { lookupCreate } from '../yaml/path.js';
import { sortedKeys } from './metadata.js';
import type { Resource } from './resource.js';

const LINE = 70;

/** Base64, broken into lines where it is long. */
export function base64Lines(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64');
  if (text.length < LINE) return text;
  return (text.match(/.{1,70}/g) ?? []).map((line) => `${line}\n`).join('');
}

export function dataNode(value: string): YamlNode {
  return new YamlNode('scalar', STRING_TAG, value, value.includes('\n') ? 'literal' : 'plain');
}

/** Sets an entry of `data` or `binaryData`. */
export function setData(node: YamlNode, name: 'data' | 'binaryData', key: string, value: string): void {
  const map = lookupCreate(node, 'map', [name]);
  if (map !== undefined) setField(map, key, dataNode(value));
}

function dataOf(resource: Resource, name: 'data' | 'binaryData'): Map<string, string> {
  const map = field(resource.node, name);
  return new Map(map?.kind === 'map' ? fieldNames(map).map((key) => [key, textOf(field(map, key))]) : []);
}

/** Keeps the entries of another object where this one has none of that key. */
export function takeDataFrom(resource: Resource, other: Resource): void {
  for (const name of ['data', 'binaryData'] as const) {
    const merged = new Map([...dataOf(other, name), ...dataOf(resource, name)]);
    clearField(resource.node, name);
    for (const key of sortedKeys(merged)) setData(resource.node, name, key, merged.get(key) ?? '');
  }
}
