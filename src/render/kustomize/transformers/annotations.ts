import { sortedKeys } from '../resource/metadata.js';
import type { YamlNode } from '../yaml/node.js';
import { MAP_TAG, STRING_TAG } from '../yaml/node.js';
import { visitField, type FieldSpec } from '../config/field-spec.js';
import { decodeWhole, struct, textMap } from '../kustomization/decode.js';
import { fieldSpecs } from '../kustomization/types.js';
import { entrySetter } from './set-entry.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('AnnotationsTransformerPlugin', { annotations: textMap, fieldSpecs });

/** Adds annotations at the fields that hold some. */
export const annotationsTransformer: TransformerFactory = (config) => {
  const { annotations, fieldSpecs: specs } = decodeWhole(type, config, false);
  return {
    transform(resources) {
      for (const { node } of resources.resources) setEntries(node, annotations, specs);
    },
  };
};

/** Sets every pair in every field; the node of a pair is shared between the fields of one object. */
export function setEntries(node: YamlNode, pairs: ReadonlyMap<string, string>, specs: readonly FieldSpec[]): void {
  for (const key of sortedKeys(pairs)) {
    const set = entrySetter(key, pairs.get(key) ?? '', STRING_TAG);
    for (const spec of specs) visitField(node, { spec, set, createKind: 'map', createTag: MAP_TAG });
  }
}
