import { Fault } from '../../../model/faults/index.js';
import { quoteGo } from '../../../model/go/index.js';
import { NeedsContent } from '../../common/index.js';
import { configFromCrds } from '../kustomization/config-from-crds.js';
import {
  defaultConfig,
  EMPTY_CONFIG,
  fullConfig,
  mergeConfigs,
  type TransformerConfig,
} from '../config/transformer-config.js';
import { during, invalid, refault } from '../fault.js';
import { decodeWhole } from '../kustomization/decode.js';
import { unmarshalText } from '../kustomization/parse-kustomization.js';
import { transformerConfig } from '../kustomization/types.js';
import type { Loader } from '../load/loader.js';
import { isMalformed, readFileResources } from '../load/read-file-resources.js';
import { setAnnotation } from '../resource/metadata.js';
import { noteTransformer, originOf, originText, setOrigin } from '../resource/origin.js';
import type { Helpers } from '../plugin/transformer.js';
import { Accumulator } from './accumulator.js';
import { originAt, readPlace, type BuildContext, type Place } from './build-context.js';
import { externalGenerators, externalTransformers, runValidators } from './external-plugins.js';
import { builtInGenerators, builtInTransformers } from './plugins.js';
import { addVars, markReferred, varText } from './vars.js';

/** Does what a kustomization says. A component works on what its parent has gathered so far. */
export function accumulate(place: Place, context: BuildContext, into = new Accumulator()): Accumulator {
  const { kustomization: k, loader } = place;
  loader.needAll([...k.resources, ...k.components]);
  const helpers: Helpers = { loader, openApi: context.openApi, renderChart: context.renderChart };
  let gathered = during('accumulating resources', () => addResources(into, k.resources, place, context));
  gathered.config = mergeConfigs(gathered.config, configOf(place));
  gathered.config = mergeConfigs(
    gathered.config,
    during(`loading CRDs [${k.crds.join(' ')}]`, () => configFromCrds(loader, k.crds)),
  );
  generate(gathered, place, helpers, context);
  gathered = during('accumulating components', () => addComponents(gathered, place, context));
  transform(gathered, place, helpers, context);
  runValidators(
    gathered.resources,
    place,
    helpers,
    (paths) => addResources(new Accumulator(), paths, place, context).resources,
  );
  markReferred(gathered.resources, k.vars);
  gathered.vars = during(
    () => `merging vars [${k.vars.map(varText).join(' ')}]`,
    () => addVars(gathered.vars, k.vars),
  );
  return gathered;
}

function configOf({ loader, kustomization }: Place): TransformerConfig {
  let own = EMPTY_CONFIG;
  for (const path of kustomization.configurations) {
    const json = unmarshalText(loader.text(path));
    const read = during('error unmarshaling JSON: while decoding JSON', () =>
      decodeWhole(transformerConfig, json, true),
    );
    own = mergeConfigs(own, fullConfig(read));
  }
  return mergeConfigs(defaultConfig(), own);
}

/** Adds files and folders. Each path is tried as a file first. */
export function addResources(
  into: Accumulator,
  paths: readonly string[],
  place: Place,
  context: BuildContext,
): Accumulator {
  for (const path of paths) {
    const failure = tryFile(into, path, place, context);
    if (failure !== undefined) addFolder(into, path, place, context, failure);
  }
  return into;
}

/** Adds the objects of a file; gives the fault where that cannot be done. */
function tryFile(into: Accumulator, path: string, { loader, origin }: Place, context: BuildContext): Fault | undefined {
  try {
    const resources = during(`accumulating resources from '${path}'`, () =>
      readFileResources({ loader, openApi: context.openApi }, path),
    );
    if (origin !== undefined) {
      const text = originText(originAt(origin, path));
      for (const { node } of resources) setAnnotation(node, 'config.kubernetes.io/origin', text);
    }
    during(`merging resources from '${path}'`, () => into.resources.appendAll(resources));
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error;
  }
}

function addFolder(into: Accumulator, path: string, place: Place, context: BuildContext, failure: Fault): void {
  let loader: Loader;
  try {
    loader = place.loader.enter(path);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw isMalformed(failure) || !isFolderFault(failure, error)
      ? failure
      : refault(error, `accumulation err='${failure.message}': ${error.message}`, failure.where);
  }
  during(
    () => `accumulation err='${failure.message}'`,
    () => {
      const inner = enterPlace(loader, path, place, context, false);
      const root = loader.formatPath(loader.root);
      const gathered = during(`recursed accumulation of path '${root}'`, () => accumulate(inner, context));
      during(`recursed merging from path '${root}'`, () => into.absorb(gathered));
    },
  );
}

/** A path that leads out of the repository keeps its own fault; anything else tells both attempts. */
function isFolderFault(failure: Fault, error: Fault): boolean {
  return failure.code !== 'RENDER_PATH_ESCAPE' || error.code !== 'RENDER_PATH_ESCAPE';
}

/** Two folders that both use two others, and so on, would be entered more often than anybody can wait for. */
const MAX_ENTERED = 5_000;

function enterPlace(loader: Loader, path: string, outer: Place, context: BuildContext, isComponent: boolean): Place {
  if (++context.entered > MAX_ENTERED)
    throw new Fault('RENDER_LIMIT', `more than ${MAX_ENTERED} folders are used, each time counted`, { where: path });
  const origin = outer.origin === undefined ? undefined : originAt(outer.origin, path);
  const chartNamespace = outer.kustomization.namespace || outer.chartNamespace;
  const root = loader.formatPath(loader.root);
  const place = during(`couldn't make target for path '${root}'`, () => readPlace(loader, { origin, chartNamespace }));
  const { openapi, kind } = place.kustomization;
  const document = openapi.get('path');
  context.openApi.use(openapi, document === undefined ? undefined : loader.text(document), false);
  if (isComponent && kind !== 'Component')
    throw invalid(`expected kind 'Component' for path '${root}' but got '${kind}'`);
  if (!isComponent && kind === 'Component') throw invalid(`expected kind != 'Component' for path '${root}'`);
  return place;
}

function addComponents(into: Accumulator, place: Place, context: BuildContext): Accumulator {
  let gathered = into;
  for (const path of place.kustomization.components) {
    const loader = quoted('loader.New', () => place.loader.enter(path));
    gathered = quoted('accumulateDirectory:', () => {
      const inner = enterPlace(loader, path, place, context, true);
      const component = during(`recursed accumulation of path '${loader.formatPath(loader.root)}'`, () =>
        accumulate(inner, context, gathered),
      );
      const fresh = new Accumulator();
      fresh.absorb(component);
      return fresh;
    });
  }
  return gathered;
}

/** Kustomize quotes what goes wrong in a component. */
function quoted<T>(doing: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof NeedsContent || !(error instanceof Fault)) throw error;
    throw refault(error, `${doing} ${quoteGo(error.message)}`);
  }
}

function generate(into: Accumulator, place: Place, helpers: Helpers, context: BuildContext): void {
  const generators = [
    ...builtInGenerators(place, helpers),
    ...during('loading generator plugins', () =>
      externalGenerators(place, helpers, (paths) => addResources(new Accumulator(), paths, place, context).resources),
    ),
  ];
  for (const { plugin, origin } of generators) {
    const made = plugin.generate();
    if (origin !== undefined)
      for (const resource of made) if (originOf(resource) === undefined) setOrigin(resource, origin);
    during('merging from generator', () => into.resources.absorb(made));
  }
}

function transform(gathered: Accumulator, place: Place, helpers: Helpers, context: BuildContext): void {
  const { resources } = gathered;
  const transformers = [
    ...builtInTransformers(place, gathered.config, helpers),
    ...externalTransformers(
      place,
      place.kustomization.transformers,
      helpers,
      (paths) => addResources(new Accumulator(), paths, place, context).resources,
    ),
  ];
  for (const { plugin, origin } of transformers) {
    plugin.transform(resources);
    if (origin !== undefined) noteTransformer(resources.resources, origin);
    resources.dropEmpty();
  }
}
