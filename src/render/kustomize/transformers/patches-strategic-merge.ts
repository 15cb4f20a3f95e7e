import { Fault } from '../../../model/faults/index.js';
import { invalid } from '../fault.js';
import { decodeWhole, listOf, struct, text } from '../kustomization/decode.js';
import { readFileResources } from '../load/read-file-resources.js';
import { readResources } from '../resource/read-resources.js';
import type { Resource } from '../resource/resource.js';
import { patchSelected } from './patches.js';
import type { Helpers, TransformerFactory } from '../plugin/transformer.js';

const type = struct('PatchStrategicMergeTransformerPlugin', {
  paths: listOf(text, 'types.PatchStrategicMerge'),
  patches: text,
});

/** The older field for strategic merge patches: files, or the patches themselves. */
export const patchStrategicMergeTransformer: TransformerFactory = (config, helpers) => {
  const { paths, patches: inline } = decodeWhole(type, config, false);
  if (paths.length === 0 && inline === '') throw invalid('empty file path and empty patch content');
  const patches = paths.flatMap((path) => fromTextOrFile(path, helpers));
  if (inline !== '') patches.push(...readResources(inline, helpers.openApi, { file: '', line: 1 }));
  if (patches.length === 0) throw invalid(`patch appears to be empty; files=[${paths.join(' ')}], Patch=${inline}`);
  return {
    transform(resources) {
      for (const patch of patches) patchSelected(resources, [resources.target(patch.originalId)], patch);
    },
  };
};

function fromTextOrFile(path: string, helpers: Helpers): Resource[] {
  try {
    return readResources(path, helpers.openApi, { file: '', line: 1 });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return readFileResources(helpers, path);
  }
}
