import { decodeWhole, struct, textMap } from '../kustomization/decode.js';
import { fieldSpecs } from '../kustomization/types.js';
import { setEntries } from './annotations.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('LabelTransformerPlugin', { labels: textMap, fieldSpecs });

/** Adds labels at the fields that hold some: of the object, of its templates, of its selectors. */
export const labelTransformer: TransformerFactory = (config) => {
  const { labels, fieldSpecs: specs } = decodeWhole(type, config, false);
  return {
    transform(resources) {
      for (const { node } of resources.resources) setEntries(node, labels, specs);
    },
  };
};
