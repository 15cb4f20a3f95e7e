import { FIELD_SPECS } from '../data/field-specs.gen.js';
import { during } from '../fault.js';
import { sameGvk, type Gvk } from '../resource/res-id.js';
import { compareGvk, mergeSpecs, type FieldSpec } from './field-spec.js';

/** The fields in which the names of some kind stand. */
export interface NameReference extends Gvk {
  readonly fieldSpecs: readonly FieldSpec[];
}

const SPEC_LISTS = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonAnnotations',
  'commonLabels',
  'labels',
  'templateLabels',
  'varReference',
  'images',
  'replicas',
] as const;
type SpecList = (typeof SPEC_LISTS)[number];

/** Which fields hold what, for the transformers of one kustomization. */
export type TransformerConfig = Readonly<Record<SpecList, readonly FieldSpec[]>> & {
  readonly nameReference: readonly NameReference[];
};

export const EMPTY_CONFIG: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonAnnotations: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  varReference: [],
  images: [],
  replicas: [],
  nameReference: [],
};

const TITLES: Readonly<Record<SpecList, string>> = {
  namePrefix: 'NamePrefix',
  nameSuffix: 'NameSuffix',
  namespace: 'NameSpace',
  commonAnnotations: 'CommonAnnotations',
  commonLabels: 'CommonLabels',
  labels: 'Labels',
  templateLabels: 'TemplateLabels',
  varReference: 'VarReference',
  images: 'Images',
  replicas: 'Replicas',
};

export function mergeConfigs(a: TransformerConfig, b: TransformerConfig): TransformerConfig {
  // Most kustomizations know only the defaults, and all of them share those.
  if (a === b || b === EMPTY_CONFIG) return a;
  if (a === EMPTY_CONFIG) return b;
  const merged: Partial<Record<SpecList, FieldSpec[]>> = {};
  for (const list of SPEC_LISTS) {
    merged[list] = during(`failed to merge ${TITLES[list]} fieldSpec`, () => mergeSpecs(a[list], b[list]));
  }
  const nameReference = during('failed to merge NameReference fieldSpec', () =>
    mergeReferences(a.nameReference, b.nameReference),
  );
  return sorted({ ...EMPTY_CONFIG, ...merged, nameReference });
}

export function mergeReferences(a: readonly NameReference[], b: readonly NameReference[]): NameReference[] {
  let merged = [...a];
  for (const reference of b) {
    const isKnown = merged.some((other) => sameGvk(other, reference));
    merged = isKnown
      ? merged.map((other) =>
          sameGvk(other, reference)
            ? { ...other, fieldSpecs: mergeSpecs(other.fieldSpecs, reference.fieldSpecs) }
            : other,
        )
      : [...merged, reference];
  }
  return merged;
}

export function sorted(config: TransformerConfig): TransformerConfig {
  const lists: Partial<Record<SpecList, FieldSpec[]>> = {};
  for (const list of SPEC_LISTS) lists[list] = [...config[list]].sort(compareGvk);
  return { ...EMPTY_CONFIG, ...lists, nameReference: [...config.nameReference].sort(compareGvk) };
}

type RawSpec = Partial<Gvk> & { readonly path?: string; readonly create?: boolean };
type RawConfig = Partial<Record<SpecList, readonly RawSpec[]>> & {
  readonly nameReference?: readonly (Partial<Gvk> & { readonly fieldSpecs?: readonly RawSpec[] })[];
};

export function fullSpec({ group = '', version = '', kind = '', path = '', create = false }: RawSpec): FieldSpec {
  return { group, version, kind, path, create };
}

/** Fills in what a configuration leaves out. */
export function fullConfig(raw: RawConfig): TransformerConfig {
  const lists: Partial<Record<SpecList, FieldSpec[]>> = {};
  for (const list of SPEC_LISTS) lists[list] = (raw[list] ?? []).map(fullSpec);
  const nameReference = (raw.nameReference ?? []).map(({ group = '', version = '', kind = '', fieldSpecs = [] }) => ({
    group,
    version,
    kind,
    fieldSpecs: fieldSpecs.map(fullSpec),
  }));
  return sorted({ ...EMPTY_CONFIG, ...lists, nameReference });
}

let defaults: TransformerConfig | undefined;

/** What Kustomize knows without being told. */
export function defaultConfig(): TransformerConfig {
  defaults ??= fullConfig(JSON.parse(FIELD_SPECS) as RawConfig);
  return defaults;
}
