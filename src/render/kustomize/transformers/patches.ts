import { Fault } from '../../../model/faults/index.js';
import { quoteGo } from '../../../model/go/index.js';
import { writeYaml } from '../../../model/yaml/index.js';
import type { Json } from '../../../model/json/index.js';
import type { JsonPatch } from '../../../model/patch/index.js';
import { during, invalid } from '../fault.js';
import { decodeWhole, struct, type Decoded } from '../kustomization/decode.js';
import { patchFields } from '../kustomization/types.js';
import { readResources } from '../resource/read-resources.js';
import { idKey, idText } from '../resource/res-id.js';
import type { ResMap } from '../resource/res-map.js';
import type { Resource } from '../resource/resource.js';
import { select, type Selector } from '../resource/selector.js';
import { applyMergePatch, applyOperations, parseOperations } from './apply-patch.js';
import type { Helpers, TransformerFactory } from '../plugin/transformer.js';

const type = struct('PatchTransformerPlugin', patchFields);

/** Applies a patch, strategic merge or JSON, to the objects it names or that its target selects. */
export const patchTransformer: TransformerFactory = (config, helpers) => {
  const read = decodeWhole(type, config, false);
  const { text, shown } = patchText(read, helpers, config);
  const merge = attempt(() =>
    readResources(text, helpers.openApi, { file: helpers.loader.pathOf(read.path), line: 1 }),
  );
  const operations = attempt(() => parseOperations(text));
  if ((merge.value?.length ?? 0) > 0 && (operations.value?.length ?? 0) > 0)
    throw invalid(`illegally qualifies as both an SM and JSON patch: ${shown}`);
  if (merge.value === undefined && operations.value === undefined)
    throw invalid(`unable to parse SM or JSON patch from ${shown}`);
  const patches = merge.value;
  if (patches === undefined)
    return { transform: (resources) => applyJson(resources, operations.value ?? [], read.target, shown) };
  for (const patch of patches)
    patch.allow({
      nameChange: read.options?.allowNameChange === true,
      kindChange: read.options?.allowKindChange === true,
    });
  return { transform: (resources) => applyMerge(resources, patches, read.target, shown) };
};

/** A text may be either kind of patch; one attempt may fail. What the render still needs is no failure. */
function attempt<T>(read: () => T): { value: T | undefined } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { value: undefined };
  }
}

function patchText(
  { patch, path }: Decoded<typeof type>,
  { loader }: Helpers,
  config: Json,
): { text: string; shown: string } {
  const inline = patch.trim();
  if (inline === '' && path === '') throw invalid(`must specify one of patch and path in\n${writeYaml(config)}`);
  if (inline !== '' && path !== '') throw invalid(`patch and path can't be set at the same time\n${writeYaml(config)}`);
  if (inline !== '') return { text: inline, shown: `[patch: ${quoteGo(inline)}]` };
  const text = during(`failed to get the patch file from path(${path})`, () => loader.text(path));
  return { text, shown: `[path: ${quoteGo(path)}]` };
}

function applyMerge(
  resources: ResMap,
  patches: readonly Resource[],
  target: Selector | undefined,
  shown: string,
): void {
  if (target === undefined) {
    for (const patch of patches) {
      const id = patch.originalId;
      const found = during(`no resource matches strategic merge patch "${idText(id)}"`, () => resources.target(id));
      applyMergePatch(found, patch);
    }
    return;
  }
  if (patches.length > 1) {
    throw invalid(
      `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` ` +
        `field: ${shown}`,
    );
  }
  const [patch] = patches;
  if (patch !== undefined) patchSelected(resources, select(resources.resources, target), patch);
}

/** Patches each of the objects with a copy of its own; those that it deletes go. */
export function patchSelected(resources: ResMap, selected: readonly Resource[], patch: Resource): void {
  const wanted = new Set(selected.map((resource) => idKey(resource.id)));
  for (const resource of resources.resources) {
    if (!wanted.has(idKey(resource.id))) continue;
    const copy = patch.copy();
    copy.takeMetadataFrom(patch);
    const { kind } = patch;
    copy.setGvk(resource.id);
    copy.setKind(kind);
    applyMergePatch(resource, copy);
  }
  const kept = resources.resources.filter((resource) => !resource.isEmpty());
  resources.replaceAll([]);
  resources.appendAll(kept);
}

function applyJson(resources: ResMap, operations: JsonPatch, target: Selector | undefined, shown: string): void {
  if (target === undefined) throw invalid(`must specify a target for JSON patch ${shown}`);
  for (const resource of select(resources.resources, target)) {
    resource.rememberId();
    applyOperations(resource, operations);
  }
}
