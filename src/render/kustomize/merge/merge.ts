import { compareText } from '../../../model/go/index.js';
import { topText } from '../resource/metadata.js';
import type { OpenApi, Schema } from '../schema/open-api.js';
import { checkKind, fieldMap, fieldNames, setField } from '../yaml/fields.js';
import { isNull, isPresent, NULL_TAG, YamlNode } from '../yaml/node.js';
import { mergeElements } from './associative-list.js';
import { takeDirective } from './directive.js';
import type { Merged, Pair } from './pair.js';

export interface MergeOptions {
  readonly openApi: OpenApi;
  /** Where new elements of a list go. */
  readonly newElements: 'first' | 'last';
}

/** Applies a strategic merge patch; undefined where it deletes the object. */
export function mergePatch(dest: YamlNode, patch: YamlNode, options: MergeOptions): YamlNode | undefined {
  return mergePair({ dest, patch }, undefined, options).node;
}

export function mergePair(pair: Pair, known: Schema | undefined, options: MergeOptions): Merged {
  const schema = known ?? resourceSchema(pair, options.openApi);
  const patchKind = isPresent(pair.patch) ? pair.patch.kind : undefined;
  const kind = isPresent(pair.dest) ? pair.dest.kind : patchKind;
  if (kind !== undefined) {
    checkKind(pair.dest, kind);
    checkKind(pair.patch, kind);
  }
  switch (kind) {
    case undefined:
    case 'map':
      return mergeMapping(pair, schema, options);
    case 'scalar':
      return { node: pair.patch ?? pair.dest };
    case 'seq':
      return schema?.merge === undefined ? mergePlainList(pair) : mergeList(pair, schema, options);
    default:
      return kind satisfies never;
  }
}

/** The schema of an object that stands where none is known. */
function resourceSchema({ dest, patch }: Pair, openApi: OpenApi): Schema | undefined {
  for (const node of [dest, patch]) {
    if (!isPresent(node)) continue;
    const [kind, apiVersion] = [topText(node, 'kind'), topText(node, 'apiVersion')];
    const schema = kind === '' || apiVersion === '' ? undefined : openApi.schemaOf(apiVersion, kind);
    if (schema !== undefined) return schema;
  }
  return undefined;
}

/** An empty list or mapping was perhaps written as `{}`; it takes the patch's style. */
function takeStyle({ dest, patch }: Pair): void {
  if (dest !== undefined && patch !== undefined && dest.kind !== 'scalar' && dest.size === 0) dest.style = patch.style;
}

function mergePlainList(pair: Pair): Merged {
  takeStyle(pair);
  return { node: pair.patch ?? pair.dest };
}

function mergeMapping(pair: Pair, schema: Schema | undefined, options: MergeOptions): Merged {
  takeStyle(pair);
  const { node, keepNull = false } = startMapping(pair);
  pair.dest = node;
  if (node === undefined) return { node };
  const names = new Set([...fieldNames(node), ...fieldNames(pair.patch)]);
  // Searching field by field would take the square of their number.
  const known = fieldMap(node);
  const patched = fieldMap(pair.patch);
  for (const name of [...names].sort(compareText)) {
    const merged = mergePair({ dest: known.get(name), patch: patched.get(name) }, schema?.field(name), options);
    setField(node, name, merged.node, merged.keepNull === true ? { keepNull: true, known } : { known });
  }
  return { node, keepNull };
}

/** The mapping into which the patch's fields go: the old one, the patch itself, or none. */
function startMapping({ dest, patch }: Pair): Merged {
  if (isPresent(dest)) return startWith(dest, patch);
  // A scalar has no directive, and is not asked for one here.
  if (patch?.kind !== 'scalar' && takeDirective(patch) === 'delete') return { node: undefined };
  return patch === undefined ? keptNull(dest) : { node: patch };
}

function keptNull(dest: YamlNode | undefined): Merged {
  return dest === undefined || dest.value === ''
    ? { node: undefined }
    : { node: new YamlNode('scalar', NULL_TAG, dest.value), keepNull: true };
}

function startWith(dest: YamlNode, patch: YamlNode | undefined): Merged {
  if (patch !== undefined && isNull(patch)) return { node: undefined };
  switch (takeDirective(patch)) {
    case 'delete':
      return { node: undefined };
    case 'replace':
      return { node: patch };
    default:
      return { node: dest };
  }
}

function mergeList(pair: Pair, schema: Schema, options: MergeOptions): Merged {
  takeStyle(pair);
  const { node } = isPresent(pair.dest) ? startWith(pair.dest, pair.patch) : { node: pair.patch };
  pair.dest = node;
  if (node === undefined) return { node };
  return {
    node: mergeElements(pair, node, {
      schema,
      keys: schema.merge?.keys ?? [],
      merge: (below, known) => mergePair(below, known, options),
      newElements: options.newElements,
    }),
  };
}
