import { compareText } from '../../model/go/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { invalid } from './fault.js';
import type { Loader } from './load/loader.js';
import { splitImage } from './transformers/image-name.js';

/** The `kustomize` block of an Application's source; texts are as they are after substitution. */
export interface KustomizeOverrides {
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  /** `name=newName:tag`, `name:tag` or `name@digest`; `*` keeps what the kustomization says. */
  readonly images?: readonly string[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly commonLabels?: Readonly<Record<string, string>>;
  readonly forceCommonLabels?: boolean;
  readonly labelWithoutSelector?: boolean;
  readonly labelIncludeTemplates?: boolean;
  readonly commonAnnotations?: Readonly<Record<string, string>>;
  readonly forceCommonAnnotations?: boolean;
  readonly patches?: readonly JsonObject[];
  readonly components?: readonly string[];
  readonly ignoreMissingComponents?: boolean;
}

/** Changes a kustomization as Argo CD does with `kustomize edit`, in the same order. */
export function overrideKustomization(raw: JsonObject, overrides: KustomizeOverrides, loader: Loader): void {
  for (const name of ['namePrefix', 'nameSuffix'] as const)
    if ((overrides[name] ?? '') !== '') put(raw, name, overrides[name]);
  if ((overrides.images ?? []).length > 0) setImages(raw, overrides.images ?? []);
  if ((overrides.replicas ?? []).length > 0) setReplicas(raw, overrides.replicas ?? []);
  addLabels(raw, overrides);
  addPairs(
    raw,
    'commonAnnotations',
    overrides.commonAnnotations ?? {},
    overrides.forceCommonAnnotations === true,
    'annotation',
  );
  if ((overrides.namespace ?? '') !== '') put(raw, 'namespace', overrides.namespace);
  if ((overrides.patches ?? []).length > 0)
    put(raw, 'patches', [...listIn(raw, 'patches'), ...(overrides.patches ?? [])]);
  addComponents(raw, overrides, loader);
}

function listIn(raw: JsonObject, name: string): Json[] {
  const value = own(raw, name);
  return isArray(value) ? value : [];
}

function itemName(item: Json): string {
  return isObject(item) && typeof item.name === 'string' ? item.name : '';
}

function sortedByName(items: Iterable<Json>): Json[] {
  return [...items].sort((a, b) => compareText(itemName(a), itemName(b)));
}

const KEEP = '*';
const IMAGE_PARTS = ['newName', 'newTag', 'digest'] as const;

function setImages(raw: JsonObject, images: readonly string[]): void {
  const old = [...listIn(raw, 'images'), ...listIn(raw, 'imageTags')];
  const all = new Map<string, JsonObject>();
  for (const image of images) {
    const parsed = parseImage(image);
    all.set(itemName(parsed), parsed);
  }
  for (const item of old) {
    if (!isObject(item)) continue;
    const given = all.get(itemName(item));
    if (given === undefined) all.set(itemName(item), item);
    else for (const part of IMAGE_PARTS) if (own(given, part) === KEEP) put(given, part, own(item, part));
  }
  for (const image of all.values())
    for (const part of IMAGE_PARTS)
      if (own(image, part) === KEEP || own(image, part) === '') put(image, part, undefined);
  put(raw, 'images', sortedByName(all.values()));
  put(raw, 'imageTags', null);
}

function parseImage(argument: string): JsonObject {
  const at = argument.indexOf('=');
  const key = at < 0 ? '' : argument.slice(0, at);
  const { name, tag, digest } = splitImage(at < 0 ? argument : argument.slice(at + 1));
  if (name === argument) {
    throw invalid(
      `invalid format of image "${argument}", use one of the following options: ` +
        '<image>=<newimage>:<newtag>, <image>=<newimage>@<digest>, <image>=<newimage>, <image>:<newtag>, ' +
        '<image>@<digest>',
    );
  }
  return { name: key === '' ? name : key, newName: key === '' ? '' : name, newTag: tag, digest };
}

function setReplicas(raw: JsonObject, replicas: readonly { readonly name: string; readonly count: number }[]): void {
  const all = new Map<string, Json>(replicas.map(({ name, count }) => [name, { name, count }]));
  for (const item of listIn(raw, 'replicas')) if (!all.has(itemName(item))) all.set(itemName(item), item);
  put(raw, 'replicas', sortedByName(all.values()));
}

function addPairs(
  raw: JsonObject,
  field: string,
  pairs: Readonly<Record<string, string>>,
  force: boolean,
  kind: string,
): void {
  if (Object.keys(pairs).length === 0) return;
  const old = own(raw, field);
  put(raw, field, withPairs(isObject(old) ? old : {}, pairs, force, kind));
}

function withPairs(old: JsonObject, pairs: Readonly<Record<string, string>>, force: boolean, kind: string): JsonObject {
  const all: JsonObject = { ...old };
  for (const [key, value] of Object.entries(pairs)) {
    if (Object.hasOwn(all, key) && !force)
      throw invalid(`${kind} ${key} already in kustomization file. Use --force to override.`);
    put(all, key, value);
  }
  return all;
}

function addLabels(raw: JsonObject, overrides: KustomizeOverrides): void {
  const {
    commonLabels = {},
    forceCommonLabels = false,
    labelWithoutSelector = false,
    labelIncludeTemplates = false,
  } = overrides;
  if (Object.keys(commonLabels).length === 0) return;
  if (!labelWithoutSelector) {
    if (labelIncludeTemplates)
      throw invalid('--without-selector flag must be specified for --include-templates to work');
    addPairs(raw, 'commonLabels', commonLabels, forceCommonLabels, 'label');
    return;
  }
  const labels = listIn(raw, 'labels');
  const there = labels.findIndex(
    (item) =>
      isObject(item) && item.includeSelectors !== true && (item.includeTemplates === true) === labelIncludeTemplates,
  );
  const old = labels[there];
  const pairs = withPairs(
    isObject(old) && isObject(old.pairs) ? old.pairs : {},
    commonLabels,
    forceCommonLabels,
    'label',
  );
  const label: JsonObject = isObject(old) ? { ...old, pairs } : { pairs, includeTemplates: labelIncludeTemplates };
  put(raw, 'labels', there < 0 ? [...labels, label] : labels.with(there, label));
}

function addComponents(
  raw: JsonObject,
  { components = [], ignoreMissingComponents = false }: KustomizeOverrides,
  loader: Loader,
): void {
  const old = listIn(raw, 'components');
  const added = components.filter(
    (path) => !old.includes(path) && (!ignoreMissingComponents || loader.isFolder(path) || loader.isFile(path)),
  );
  if (added.length > 0) put(raw, 'components', [...old, ...added]);
}
