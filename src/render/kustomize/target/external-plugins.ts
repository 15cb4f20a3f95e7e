import { equal } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import { invalid } from '../fault.js';
import { readResources } from '../resource/read-resources.js';
import { ResMap } from '../resource/res-map.js';
import { idText } from '../resource/res-id.js';
import { pluginOrigin, setOrigin } from '../resource/origin.js';
import type { Resource } from '../resource/resource.js';
import { loadGenerator, loadTransformer } from '../transformers/registry.js';
import type { Generator, Helpers, Transformer } from '../plugin/transformer.js';
import { nodeJson } from '../yaml/node-json.js';
import { originAt, type Place } from './build-context.js';
import type { Configured } from './plugins.js';

/** Reads the objects of files and folders. */
type ReadPaths = (paths: readonly string[]) => ResMap;

/**
 * The configurations of plugins: objects written into the kustomization itself first, then those of the files it names.
 */
function configurations(place: Place, entries: readonly string[], helpers: Helpers, read: ReadPaths): Resource[] {
  const inline = new ResMap();
  const paths: string[] = [];
  for (const entry of entries) {
    const resources = inlineResources(entry, place, helpers);
    if (resources === undefined) paths.push(entry);
    else inline.appendAll(resources);
  }
  inline.appendAll(read(paths).resources);
  return [...inline.resources];
}

/** Undefined where the entry is no object but a path. */
function inlineResources(entry: string, { loader, file, origin }: Place, { openApi }: Helpers): Resource[] | undefined {
  try {
    const resources = readResources(entry, openApi, { file: loader.pathOf(file), line: 1 });
    if (origin !== undefined) for (const resource of resources) setOrigin(resource, originAt(origin, file));
    return resources;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

export function externalGenerators(place: Place, helpers: Helpers, read: ReadPaths): Configured<Generator>[] {
  return configurations(place, place.kustomization.generators, helpers, read).map((config) => ({
    plugin: loadGenerator(config, helpers),
    origin: pluginOrigin(config),
  }));
}

export function externalTransformers(
  place: Place,
  entries: readonly string[],
  helpers: Helpers,
  read: ReadPaths,
): Configured<Transformer>[] {
  return configurations(place, entries, helpers, read).map((config) => ({
    plugin: loadTransformer(config, helpers),
    origin: pluginOrigin(config),
  }));
}

/** A validator is a transformer that may refuse, but changes nothing. */
export function runValidators(resources: ResMap, place: Place, helpers: Helpers, read: ReadPaths): void {
  for (const { plugin } of externalTransformers(place, place.kustomization.validators, helpers, read)) {
    const before = resources.resources.map((resource) => nodeJson(resource.node));
    plugin.transform(resources);
    for (const [index, resource] of resources.resources.entries()) {
      const after = resource.copy();
      const { labels } = after;
      if (labels.delete('validated-by')) after.setLabels(labels);
      if (!equal(before[index], nodeJson(after.node)))
        throw invalid(`validator shouldn't modify the resource map: nodes unequal: ${idText(resource.id)}`);
    }
  }
}
