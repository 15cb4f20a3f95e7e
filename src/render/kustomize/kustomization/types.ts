import type { FieldSpec } from '../config/field-spec.js';
import type { Selector } from '../resource/selector.js';
import {
  embedded,
  flag,
  int64,
  integer,
  listOf,
  objectMap,
  optional,
  struct,
  text,
  textMap,
  type Decoded,
  type Decoder,
} from './decode.js';

/** The types of a kustomization file and of the configuration of built-in plugins, by their JSON names. */
const GVK = { group: text, version: text, kind: text };
const RES_ID = { ...embedded('Gvk', GVK), name: text, namespace: text };

export const fieldSpec: Decoder<FieldSpec> = struct('FieldSpec', { ...embedded('Gvk', GVK), path: text, create: flag });
export const fieldSpecs = listOf(fieldSpec, 'types.FieldSpec');
export const selector: Decoder<Selector> = struct('Selector', {
  ...embedded('ResId', RES_ID),
  annotationSelector: text,
  labelSelector: text,
});

const texts = listOf(text, 'string');

export const objectMeta = struct('ObjectMeta', { name: text, namespace: text, labels: textMap, annotations: textMap });

const label = struct('Label', { pairs: textMap, includeSelectors: flag, includeTemplates: flag, fields: fieldSpecs });

const patchArgs = struct('PatchArgs', { allowNameChange: flag, allowKindChange: flag });
export const patchFields = { path: text, patch: text, target: optional(selector), options: optional(patchArgs) };
const patch = struct('Patch', patchFields);

export const image = struct('Image', { name: text, newName: text, tagSuffix: text, newTag: text, digest: text });
export type Image = Decoded<typeof image>;

export const replica = struct('Replica', { name: text, count: int64 });

const fieldOptions = struct('FieldOptions', { delimiter: text, index: integer('int'), encoding: text, create: flag });
export type FieldOptions = Decoded<typeof fieldOptions>;
const sourceSelector = struct('SourceSelector', {
  ...embedded('ResId', RES_ID),
  fieldPath: text,
  options: optional(fieldOptions),
});
export type SourceSelector = Decoded<typeof sourceSelector>;
const targetSelector = struct('TargetSelector', {
  select: optional(selector),
  reject: listOf(selector, '*types.Selector'),
  fieldPaths: texts,
  options: optional(fieldOptions),
});
export type TargetSelector = Decoded<typeof targetSelector>;
const REPLACEMENT = {
  source: optional(sourceSelector),
  targets: optional(listOf(targetSelector, '*types.TargetSelector')),
  sourceValue: optional(text),
};
export const replacement = struct('Replacement', REPLACEMENT);
export type Replacement = Decoded<typeof replacement>;
export const replacementFields = listOf(
  struct('ReplacementField', { ...embedded('Replacement', REPLACEMENT), path: text }),
  'types.ReplacementField',
);

const generatorOptions = struct('GeneratorOptions', {
  labels: textMap,
  annotations: textMap,
  disableNameSuffixHash: flag,
  immutable: flag,
});
export type GeneratorOptions = Decoded<typeof generatorOptions>;
const GENERATOR = {
  namespace: text,
  name: text,
  behavior: text,
  ...embedded('KvPairSources', { literals: texts, files: texts, envs: texts, env: text }),
  options: optional(generatorOptions),
};
export const configMapFields = embedded('GeneratorArgs', GENERATOR);
const configMapArgs = struct('ConfigMapArgs', configMapFields);
export const secretFields = { ...embedded('GeneratorArgs', GENERATOR), type: text };
const secretArgs = struct('SecretArgs', secretFields);
export type GeneratorArgs = Decoded<typeof configMapArgs>;

export const helmGlobalFields = { chartHome: text, configHome: text };
const helmGlobals = struct('HelmGlobals', helmGlobalFields);
export const helmChartFields = {
  name: text,
  version: text,
  repo: text,
  releaseName: text,
  namespace: text,
  additionalValuesFiles: texts,
  valuesFile: text,
  valuesInline: objectMap,
  valuesMerge: text,
  includeCRDs: flag,
  skipHooks: flag,
  apiVersions: texts,
  kubeVersion: text,
  nameTemplate: text,
  skipTests: flag,
  debug: flag,
  devel: flag,
};
const helmChart = struct('HelmChart', helmChartFields);
export type HelmChart = Decoded<typeof helmChart>;
const helmChartArgs = struct('HelmChartArgs', {
  chartName: text,
  chartVersion: text,
  chartRepoUrl: text,
  chartHome: text,
  chartRepoName: text,
  helmBin: text,
  helmHome: text,
  values: text,
  valuesLocal: objectMap,
  valuesMerge: text,
  releaseName: text,
  releaseNamespace: text,
  extraArgs: texts,
});

const variable = struct('Var', {
  name: text,
  objref: struct('Target', { apiVersion: text, ...embedded('Gvk', GVK), name: text, namespace: text }),
  fieldref: struct('FieldSelector', { fieldPath: text }),
});
export type Var = Decoded<typeof variable>;

export const sortOptions = struct('SortOptions', {
  order: text,
  legacySortOptions: optional(struct('LegacySortOptions', { orderFirst: texts, orderLast: texts })),
});
export type SortOptions = Decoded<typeof sortOptions>;

export const kustomization = struct('Kustomization', {
  ...embedded('TypeMeta', { kind: text, apiVersion: text }),
  metadata: optional(objectMeta),
  openapi: textMap,
  namePrefix: text,
  nameSuffix: text,
  namespace: text,
  commonLabels: textMap,
  labels: listOf(label, 'types.Label'),
  commonAnnotations: textMap,
  patchesStrategicMerge: listOf(text, 'types.PatchStrategicMerge'),
  patchesJson6902: listOf(patch, 'types.Patch'),
  patches: listOf(patch, 'types.Patch'),
  images: listOf(image, 'types.Image'),
  imageTags: listOf(image, 'types.Image'),
  replacements: replacementFields,
  replicas: listOf(replica, 'types.Replica'),
  vars: listOf(variable, 'types.Var'),
  sortOptions: optional(sortOptions),
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: listOf(configMapArgs, 'types.ConfigMapArgs'),
  secretGenerator: listOf(secretArgs, 'types.SecretArgs'),
  helmGlobals: optional(helmGlobals),
  helmCharts: listOf(helmChart, 'types.HelmChart'),
  helmChartInflationGenerator: listOf(helmChartArgs, 'types.HelmChartArgs'),
  generatorOptions: optional(generatorOptions),
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
});
export type Kustomization = Decoded<typeof kustomization>;

const nameReference = struct('NameBackReferences', { ...embedded('Gvk', GVK), fieldSpecs });
export const transformerConfig = struct('TransformerConfig', {
  namePrefix: fieldSpecs,
  nameSuffix: fieldSpecs,
  namespace: fieldSpecs,
  commonLabels: fieldSpecs,
  labels: fieldSpecs,
  templateLabels: fieldSpecs,
  commonAnnotations: fieldSpecs,
  nameReference: listOf(nameReference, 'builtinconfig.NameBackReferences'),
  varReference: fieldSpecs,
  images: fieldSpecs,
  replicas: fieldSpecs,
});

/** The configuration of the value-add transformer. */
const addTarget = struct('Target', { selector: optional(selector), fieldPath: text, filePathPosition: integer('int') });
export const addTargets = listOf(addTarget, 'builtins.Target');
