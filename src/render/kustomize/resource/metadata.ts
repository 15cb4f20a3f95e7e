import { compareText } from '../../../model/go/index.js';
import { invalid } from '../fault.js';
import { clearField, field, getField, setField } from '../yaml/fields.js';
import { isEmpty, isPresent, scalar, STRING_TAG, textOf, YamlNode } from '../yaml/node.js';
import { lookup, lookupCreate } from '../yaml/path.js';

/**
 * What is read and written of an object's head. Texts are as they stand in the file: a number's digits, null's word.
 */
export type TextMap = Map<string, string>;

function metadataOf(node: YamlNode): YamlNode | undefined {
  const metadata = field(node, 'metadata');
  return isEmpty(metadata) ? undefined : metadata;
}

export function topText(node: YamlNode, name: 'kind' | 'apiVersion'): string {
  return field(node, name)?.value ?? '';
}

export function metadataText(node: YamlNode, name: 'name' | 'namespace'): string {
  const value = anyField(metadataOf(node), name);
  return value === undefined || isEmpty(value) ? '' : value.value;
}

/** Like `field`, for a node whose kind does not matter. */
function anyField(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node !== undefined) for (const entry of node.entries) if (entry.key.value === name) return entry.value;
  return undefined;
}

export function metadataMap(node: YamlNode, name: 'labels' | 'annotations'): TextMap {
  const map: TextMap = new Map();
  for (const { key, value } of anyField(metadataOf(node), name)?.entries ?? []) map.set(key.value, value.value);
  return map;
}

/** One annotation, without a map of all. */
export function annotationOf(node: YamlNode, name: string): string | undefined {
  return anyField(anyField(metadataOf(node), 'annotations'), name)?.value;
}

/** Several annotations, each undefined where it is not there. */
export function annotationsOf(node: YamlNode, names: readonly string[]): (string | undefined)[] {
  const annotations = anyField(metadataOf(node), 'annotations');
  return names.map((name) => anyField(annotations, name)?.value);
}

/** Replaces the whole map by strings in the order of their keys; an empty one is removed. */
export function setMetadataMap(node: YamlNode, name: 'labels' | 'annotations', map: ReadonlyMap<string, string>): void {
  const metadata = lookupCreate(node, 'map', ['metadata']);
  if (metadata === undefined) return;
  clearField(metadata, name);
  if (map.size === 0) return;
  const made = lookupCreate(metadata, 'map', [name]);
  if (made === undefined) return;
  for (const key of sortedKeys(map)) made.addEntry(scalar(key), stringNode(map.get(key) ?? ''));
}

export function sortedKeys(map: ReadonlyMap<string, unknown>): string[] {
  return [...map.keys()].sort(compareText);
}

/** A string, whatever it looks like. */
export function stringNode(value: string): YamlNode {
  return new YamlNode('scalar', STRING_TAG, value, value.includes('\n') ? 'literal' : 'plain');
}

/** Sets one annotation; an `annotations` or `metadata` without content is made anew. */
export function setAnnotation(node: YamlNode, key: string, value: string): void {
  clearIfEmpty(lookup(node, ['metadata']), 'annotations');
  clearIfEmpty(node, 'metadata');
  setInMetadata(node, 'annotations', key, value);
}

export function setLabel(node: YamlNode, key: string, value: string): void {
  setInMetadata(node, 'labels', key, value);
}

function setInMetadata(node: YamlNode, name: string, key: string, value: string): void {
  const map = lookupCreate(node, 'map', ['metadata', name]);
  if (map !== undefined) setField(map, key, new YamlNode('scalar', STRING_TAG, value, 'single'));
}

function clearIfEmpty(node: YamlNode | undefined, name: string): void {
  if (!isPresent(node)) return;
  const value = getField(node, name);
  if (value !== undefined && value.entries.length === 0 && value.items.length === 0) clearField(node, name);
}

/**
 * Sets a text at a path of fields, made where they are missing. The text is what it looks like, as Kustomize writes it.
 */
export function setText(node: YamlNode, value: string, path: readonly string[]): void {
  const parent = path.length === 1 ? node : lookupCreate(node, 'map', path.slice(0, -1));
  if (parent !== undefined) setField(parent, path.at(-1) ?? '', scalar(value));
}

/** An object must say its kind and, unless it is a list, its name. */
export function checkMetadata(node: YamlNode): void {
  const [apiVersion, kind] = [textOf(presentField(node, 'apiVersion')), textOf(presentField(node, 'kind'))];
  const metadata = presentField(node, 'metadata');
  const name = metadata === undefined ? '' : (presentField(metadata, 'name')?.value ?? '');
  const namespace = metadata === undefined ? '' : textOf(presentField(metadata, 'namespace'));
  const labels = presentField(metadata, 'labels');
  const annotations = presentField(metadata, 'annotations');
  if (
    [apiVersion, kind, name, namespace].every((text) => text === '') &&
    labels === undefined &&
    annotations === undefined
  ) {
    throw invalid('missing Resource metadata');
  }
  const shown = (): string =>
    `{{${apiVersion} ${kind}} {{${name} ${namespace}} ${goMap(labels)} ${goMap(annotations)}}}`;
  if (kind === '') throw invalid(`missing kind in object ${shown()}`);
  if (!kind.endsWith('List') && name === '') throw invalid(`missing metadata.name in object ${shown()}`);
}

function presentField(node: YamlNode | undefined, name: string): YamlNode | undefined {
  const value = field(node, name);
  return isEmpty(value) ? undefined : value;
}

/** As Go prints a map. */
function goMap(node: YamlNode | undefined): string {
  const texts = new Map((node?.entries ?? []).map(({ key, value }) => [key.value, textOf(value)]));
  return `map[${sortedKeys(texts)
    .map((key) => `${key}:${texts.get(key) ?? ''}`)
    .join(' ')}]`;
}
