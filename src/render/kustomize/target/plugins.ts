import { Fault } from '../../../model/faults/index.js';
import { writeYaml } from '../../../model/yaml/index.js';
import type { Json, JsonObject } from '../../../model/json/index.js';
import { mergeSpecs, type FieldSpec } from '../config/field-spec.js';
import { fullSpec, type TransformerConfig } from '../config/transformer-config.js';
import { during, refault } from '../fault.js';
import { mergeOptions } from '../generators/config-map.js';
import type { GeneratorArgs, Kustomization } from '../kustomization/types.js';
import type { BuildOrigin } from '../resource/origin.js';
import { GENERATORS, TRANSFORMERS } from '../transformers/registry.js';
import type { Generator, Helpers, Transformer } from '../plugin/transformer.js';
import { joinPath, type Place } from './build-context.js';

/** A plugin that a kustomization configures, and what is noted of it. */
export interface Configured<T> {
  readonly plugin: T;
  readonly origin: BuildOrigin | undefined;
}

type TransformerName = keyof typeof TRANSFORMERS;
type GeneratorName = keyof typeof GENERATORS;
/** The configurations that the fields of a kustomization make for one plugin. */
type Configs<N extends string> = readonly (readonly [name: N, configs: readonly JsonObject[]])[];

const specsJson = (specs: readonly FieldSpec[]): Json => specs.map((spec) => ({ ...spec }));
const textsJson = (texts: ReadonlyMap<string, string>): Json => Object.fromEntries(texts);
/** Typed parts of a kustomization go back to the JSON they were, because a plugin reads its configuration itself. */
const asJson = (value: object): JsonObject => toJson(value) as JsonObject;

function toJson(value: unknown): Json {
  if (value instanceof Map) return Object.fromEntries(value as ReadonlyMap<string, string>);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  const members = Object.entries(value).filter(([, member]) => !isZero(member));
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member)]));
}

/** Left out where Go leaves out what has no value. */
function isZero(member: unknown): boolean {
  if (member instanceof Map) return member.size === 0;
  return member === undefined || member === '' || member === false || (Array.isArray(member) && member.length === 0);
}

/** In the order in which they run. */
function transformerConfigs(k: Kustomization, config: TransformerConfig): Configs<TransformerName> {
  return [
    [
      'PatchStrategicMergeTransformer',
      k.patchesStrategicMerge.length === 0 ? [] : [{ paths: [...k.patchesStrategicMerge] }],
    ],
    ['PatchTransformer', k.patches.map(asJson)],
    [
      'NamespaceTransformer',
      k.namespace === '' ? [] : [{ metadata: { namespace: k.namespace }, fieldSpecs: specsJson(config.namespace) }],
    ],
    [
      'PrefixTransformer',
      k.namePrefix === '' ? [] : [{ prefix: k.namePrefix, fieldSpecs: specsJson(config.namePrefix) }],
    ],
    [
      'SuffixTransformer',
      k.nameSuffix === '' ? [] : [{ suffix: k.nameSuffix, fieldSpecs: specsJson(config.nameSuffix) }],
    ],
    ['LabelTransformer', labelConfigs(k, config)],
    [
      'AnnotationsTransformer',
      k.commonAnnotations.size === 0
        ? []
        : [{ annotations: textsJson(k.commonAnnotations), fieldSpecs: specsJson(config.commonAnnotations) }],
    ],
    [
      'PatchJson6902Transformer',
      k.patchesJson6902.map(({ target, path, patch }) => asJson({ target, path, jsonOp: patch })),
    ],
    [
      'ReplicaCountTransformer',
      k.replicas.map((replica) => ({ replica: asJson(replica), fieldSpecs: specsJson(config.replicas) })),
    ],
    [
      'ImageTagTransformer',
      k.images.map((image) => ({ imageTag: asJson(image), fieldSpecs: specsJson(config.images) })),
    ],
    ['ReplacementTransformer', k.replacements.length === 0 ? [] : [{ replacements: k.replacements.map(asJson) }]],
  ];
}

const METADATA_LABELS = fullSpec({ path: 'metadata/labels', create: true });

function labelConfigs(k: Kustomization, config: TransformerConfig): JsonObject[] {
  if (k.labels.length === 0 && k.commonLabels.size === 0) return [];
  const configs = k.labels.map(({ pairs, fields, includeSelectors, includeTemplates }) => {
    const specs = during('failed to merge labels', () => {
      const own = mergeSpecs(fields, config.labels);
      if (includeSelectors) return mergeSpecs(own, config.commonLabels);
      return mergeSpecs(includeTemplates ? mergeSpecs(own, config.templateLabels) : own, [METADATA_LABELS]);
    });
    return { labels: textsJson(pairs), fieldSpecs: specsJson(specs) };
  });
  return [...configs, { labels: textsJson(k.commonLabels), fieldSpecs: specsJson(config.commonLabels) }];
}

function generatorConfigs(k: Kustomization, chartNamespace: string): Configs<GeneratorName> {
  const withOptions = (args: GeneratorArgs): JsonObject => {
    const options = mergeOptions(args.options, k.generatorOptions);
    return { ...asJson({ ...args, options: undefined }), ...(options !== undefined && { options }) };
  };
  return [
    ['ConfigMapGenerator', k.configMapGenerator.map(withOptions)],
    ['SecretGenerator', k.secretGenerator.map(withOptions)],
    [
      'HelmChartInflationGenerator',
      k.helmCharts.map((chart) => ({
        ...asJson(k.helmGlobals ?? {}),
        ...asJson({ ...chart, namespace: chart.namespace || k.namespace || chartNamespace, valuesInline: undefined }),
        ...(Object.keys(chart.valuesInline).length > 0 && { valuesInline: chart.valuesInline }),
      })),
    ],
  ];
}

export function builtInTransformers(
  place: Place,
  config: TransformerConfig,
  helpers: Helpers,
): Configured<Transformer>[] {
  return transformerConfigs(place.kustomization, config).flatMap(([name, configs]) =>
    configs.map((one) => ({
      plugin: configured(name, one, () => TRANSFORMERS[name](one, helpers)),
      origin: pluginOrigin(place, name),
    })),
  );
}

export function builtInGenerators(place: Place, helpers: Helpers): Configured<Generator>[] {
  return generatorConfigs(place.kustomization, place.chartNamespace).flatMap(([name, configs]) =>
    configs.map((one) => ({
      plugin: configured(name, one, () => GENERATORS[name](one, helpers)),
      origin: pluginOrigin(place, name),
    })),
  );
}

function configured<T>(name: string, config: JsonObject, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refault(
      error,
      `trouble configuring builtin ${name} with config: \`\n${writeYaml(config)}\`: ${error.message}`,
    );
  }
}

function pluginOrigin({ origin, file }: Place, kind: string): BuildOrigin | undefined {
  if (origin === undefined) return undefined;
  return {
    repo: origin.repo ?? '',
    ref: origin.ref ?? '',
    configuredIn: joinPath(origin.path ?? '', file),
    configuredBy: { apiVersion: 'builtin', kind },
  };
}
