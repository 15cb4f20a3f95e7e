import { Fault } from '../../../model/faults/index.js';
import { during, invalid, refault } from '../fault.js';
import { configMapGenerator, secretGenerator } from '../generators/config-map.js';
import { helmChartGenerator } from '../generators/helm-chart.js';
import { iamPolicyGenerator } from '../generators/iam-policy.js';
import { gvkText, idText } from '../resource/res-id.js';
import type { Resource } from '../resource/resource.js';
import { nodeJson } from '../yaml/node-json.js';
import { prefixTransformer, suffixTransformer } from './affix.js';
import { annotationsTransformer } from './annotations.js';
import { hashTransformer } from './hash.js';
import { imageTransformer } from './images.js';
import { labelTransformer } from './labels.js';
import { namespaceTransformer } from './namespace.js';
import { patchJson6902Transformer } from './patch-json6902.js';
import { patchTransformer } from './patches.js';
import { patchStrategicMergeTransformer } from './patches-strategic-merge.js';
import { replacementTransformer } from './replacements.js';
import { replicaTransformer } from './replicas.js';
import { valueAddTransformer } from './value-add.js';
import type { Generator, GeneratorFactory, Helpers, Transformer, TransformerFactory } from '../plugin/transformer.js';

/** Prefix and suffix in one, as older kustomizations configure them. */
const prefixSuffixTransformer: TransformerFactory = (config, helpers) => {
  const both = [prefixTransformer(config, helpers), suffixTransformer(config, helpers)];
  return { transform: (resources) => both.forEach((one) => one.transform(resources)) };
};

/** Every transformer that is built in, by the kind of its configuration. */
export const TRANSFORMERS = {
  AnnotationsTransformer: annotationsTransformer,
  HashTransformer: hashTransformer,
  ImageTagTransformer: imageTransformer,
  LabelTransformer: labelTransformer,
  NamespaceTransformer: namespaceTransformer,
  PatchJson6902Transformer: patchJson6902Transformer,
  PatchStrategicMergeTransformer: patchStrategicMergeTransformer,
  PatchTransformer: patchTransformer,
  PrefixSuffixTransformer: prefixSuffixTransformer,
  PrefixTransformer: prefixTransformer,
  SuffixTransformer: suffixTransformer,
  ReplacementTransformer: replacementTransformer,
  ReplicaCountTransformer: replicaTransformer,
  ValueAddTransformer: valueAddTransformer,
} as const satisfies Record<string, TransformerFactory>;

export const GENERATORS = {
  ConfigMapGenerator: configMapGenerator,
  IAMPolicyGenerator: iamPolicyGenerator,
  SecretGenerator: secretGenerator,
  HelmChartInflationGenerator: helmChartGenerator,
} as const satisfies Record<string, GeneratorFactory>;

type Plugin =
  | { readonly kind: 'transformer'; readonly make: TransformerFactory }
  | { readonly kind: 'generator'; readonly make: GeneratorFactory };

const PLUGINS: ReadonlyMap<string, Plugin> = new Map<string, Plugin>([
  ...Object.entries(TRANSFORMERS).map(([name, make]) => [name, { kind: 'transformer', make }] as const),
  ...Object.entries(GENERATORS).map(([name, make]) => [name, { kind: 'generator', make }] as const),
]);

/** The plugin that a configuration object asks for. Programs and containers are never run. */
function pluginOf(config: Resource): Plugin {
  const { id } = config;
  if (id.group !== '' || id.version !== 'builtin') {
    throw invalid(
      `external plugins disabled; unable to load external plugin '${config.originalId.kind}'`,
      config.source.file,
    );
  }
  const plugin = PLUGINS.get(id.kind);
  if (plugin === undefined) throw invalid(`unable to load builtin ${gvkText(id)}`, config.source.file);
  return plugin;
}

function configured<T>(config: Resource, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refault(
      error,
      `plugin ${idText(config.originalId)} fails configuration: ${error.message}`,
      error.where === '' ? config.source.file : error.where,
    );
  }
}

export function loadTransformer(config: Resource, helpers: Helpers): Transformer {
  const plugin = pluginOf(config);
  if (plugin.kind !== 'transformer') throw invalid(`plugin ${idText(config.originalId)} not a transformer`);
  return configured(config, () => plugin.make(nodeJson(config.node), helpers));
}

export function loadGenerator(config: Resource, helpers: Helpers): Generator {
  return during('failed to load generator', () => {
    const plugin = pluginOf(config);
    if (plugin.kind !== 'generator') throw invalid(`plugin ${idText(config.originalId)} not a generator`);
    return configured(config, () => plugin.make(nodeJson(config.node), helpers));
  });
}
