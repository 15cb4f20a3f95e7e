import { during, invalid } from '../fault.js';
import { decodeWhole, optional, struct, text } from '../kustomization/decode.js';
import { selector } from '../kustomization/types.js';
import { select } from '../resource/selector.js';
import { applyOperations, parseOperations } from './apply-patch.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('PatchJson6902TransformerPlugin', { target: optional(selector), path: text, jsonOp: text });

/** The older field for JSON patches. */
export const patchJson6902Transformer: TransformerFactory = (config, { loader }) => {
  const { target, path, jsonOp } = decodeWhole(type, config, false);
  if (target === undefined || target.name === '') throw invalid('must specify the target name');
  if (path === '' && jsonOp === '') throw invalid('empty file path and empty jsonOp');
  if (path !== '' && jsonOp !== '') throw invalid('must specify a file path or jsonOp, not both');
  const content = path === '' ? jsonOp : loader.text(path);
  if (content === '') throw invalid(`patch file '${path}' empty seems to be empty`);
  const operations = during(
    () => `decoding ${content}`,
    () => parseOperations(content),
  );
  if (operations.length === 0) throw invalid(`patch appears to be empty; file=${path}, JsonOp=${content}`);
  return {
    transform(resources) {
      for (const resource of select(resources.resources, target)) applyOperations(resource, operations);
    },
  };
};
