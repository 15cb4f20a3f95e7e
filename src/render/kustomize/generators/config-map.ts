import type { Json } from '../../../model/json/index.js';
import { invalid } from '../fault.js';
import { decodeWhole, struct } from '../kustomization/decode.js';
import {
  configMapFields,
  objectMeta,
  secretFields,
  type GeneratorArgs,
  type GeneratorOptions,
} from '../kustomization/types.js';
import { base64Lines, setData } from '../resource/data-map.js';
import { setAnnotation, setLabel, sortedKeys, stringNode } from '../resource/metadata.js';
import { parseBehavior, Resource } from '../resource/resource.js';
import type { GeneratorFactory, Helpers } from '../plugin/transformer.js';
import { setField } from '../yaml/fields.js';
import { BOOL_TAG, emptyNode, MAP_TAG, scalar, STRING_TAG, YamlNode } from '../yaml/node.js';
import { lookupCreate } from '../yaml/path.js';
import { keyValues, type EntryValue } from './key-values.js';

const configMapType = struct('ConfigMapGeneratorPlugin', { metadata: objectMeta, ...configMapFields });
const secretType = struct('SecretGeneratorPlugin', { metadata: objectMeta, ...secretFields });

/** Makes a ConfigMap of literals, files and env files. */
export const configMapGenerator: GeneratorFactory = (config, helpers) => {
  const args = named(decodeWhole(configMapType, config, false));
  return {
    generate: () => [make('ConfigMap', args, helpers, (node) => addEntries(node, keyValues(args, helpers.loader)))],
  };
};

/** Makes a Secret of the same; all of its data is base64. */
export const secretGenerator: GeneratorFactory = (config, helpers) => {
  const args = named(decodeWhole(secretType, config, false));
  return {
    generate: () => [
      make('Secret', args, helpers, (node) => {
        setField(node, 'type', stringNode(args.type === '' ? 'Opaque' : args.type));
        addSecretEntries(node, keyValues(args, helpers.loader));
      }),
    ],
  };
};

/** A plugin's own metadata names the object where the arguments do not. */
function named<T extends GeneratorArgs & { readonly metadata: { readonly name: string; readonly namespace: string } }>(
  args: T,
): T {
  return { ...args, name: args.name || args.metadata.name, namespace: args.namespace || args.metadata.namespace };
}

function make(
  kind: string,
  args: GeneratorArgs,
  { loader, openApi }: Helpers,
  fill: (node: YamlNode) => void,
): Resource {
  if (args.name === '') throw invalid('a configmap must have a name');
  const node = new YamlNode('map', MAP_TAG, '');
  setField(node, 'apiVersion', scalar('v1', STRING_TAG));
  setField(node, 'kind', scalar(kind, STRING_TAG));
  const metadata = lookupCreate(node, 'map', ['metadata']) ?? emptyNode('map');
  setField(metadata, 'name', stringNode(args.name));
  if (args.namespace !== '') setField(metadata, 'namespace', stringNode(args.namespace));
  fill(node);
  if (args.options !== undefined) applyOptions(node, args.options);
  const resource = new Resource(node, openApi, { file: loader.pathOf('kustomization.yaml'), line: 1 });
  resource.markGenerated(parseBehavior(args.behavior), args.options?.disableNameSuffixHash !== true);
  return resource;
}

function applyOptions(node: YamlNode, { labels, annotations, immutable }: GeneratorOptions): void {
  for (const key of sortedKeys(labels)) setLabel(node, key, labels.get(key) ?? '');
  for (const key of sortedKeys(annotations)) setAnnotation(node, key, annotations.get(key) ?? '');
  if (immutable) setField(node, 'immutable', scalar('true', BOOL_TAG));
}

function addEntries(node: YamlNode, entries: ReadonlyMap<string, EntryValue>): void {
  for (const key of sortedKeys(entries)) {
    const value = entries.get(key) ?? '';
    if (typeof value === 'string') setData(node, 'data', key, value);
    else setData(node, 'binaryData', key, base64Lines(value));
  }
}

function addSecretEntries(node: YamlNode, entries: ReadonlyMap<string, EntryValue>): void {
  lookupCreate(node, 'map', ['data']);
  for (const key of sortedKeys(entries)) {
    const value = entries.get(key) ?? '';
    setData(node, 'data', key, base64Lines(typeof value === 'string' ? Buffer.from(value) : value));
  }
}

/** The options of one generator, with those of the kustomization where it has none of its own. */
export function mergeOptions(
  local: GeneratorOptions | undefined,
  global: GeneratorOptions | undefined,
): Json | undefined {
  if (local === undefined && global === undefined) return undefined;
  const both = (name: 'labels' | 'annotations'): Json =>
    Object.fromEntries([...(global?.[name] ?? []), ...(local?.[name] ?? [])]);
  const either = (name: 'disableNameSuffixHash' | 'immutable'): boolean =>
    global?.[name] === true || local?.[name] === true;
  return {
    labels: both('labels'),
    annotations: both('annotations'),
    disableNameSuffixHash: either('disableNameSuffixHash'),
    immutable: either('immutable'),
  };
}
