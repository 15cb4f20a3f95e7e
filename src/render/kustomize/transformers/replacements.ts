import { isArray, isObject } from '../../../model/json/index.js';
import { during, invalid } from '../fault.js';
import { decodeWhole, listOf, struct, type Decoded } from '../kustomization/decode.js';
import { unmarshalText } from '../kustomization/parse-kustomization.js';
import {
  replacement,
  replacementFields,
  type FieldOptions,
  type Replacement,
  type SourceSelector,
  type TargetSelector,
} from '../kustomization/types.js';
import { idText, type ResId } from '../resource/res-id.js';
import type { Resource } from '../resource/resource.js';
import { isNamed, labelMatcher, patternsOf, type Selector } from '../resource/selector.js';
import { isEmpty, scalar, textOf, type YamlNode } from '../yaml/node.js';
import { lookup, splitFieldPath } from '../yaml/path.js';
import { matchPath } from '../resource/path-matcher.js';
import { setInStructuredText } from './structured-text.js';
import type { Helpers, TransformerFactory } from '../plugin/transformer.js';

const type = struct('ReplacementTransformerPlugin', { replacements: replacementFields });
const replacementList = listOf(replacement, 'types.Replacement');
const DEFAULT_PATH = 'metadata.name';

/** Copies fields of one object into fields of others. */
export const replacementTransformer: TransformerFactory = (config, helpers) => {
  const replacements = decodeWhole(type, config, false).replacements.flatMap((entry) => loaded(entry, helpers));
  return {
    transform(resources) {
      for (const { source, sourceValue, targets } of replacements) {
        if ((source === undefined && sourceValue === undefined) || targets === undefined) {
          throw invalid('replacements must specify a source and at least one target');
        }
        if (source !== undefined && sourceValue !== undefined)
          throw invalid('value and resource selectors are mutually exclusive');
        const value = source === undefined ? scalar(sourceValue ?? '') : sourceNode(resources.resources, source);
        for (const target of targets) replaceIn(resources.resources, value, target);
      }
    },
  };
};

function loaded(entry: Decoded<typeof replacementFields>[number], { loader }: Helpers): readonly Replacement[] {
  if (entry.path === '') return [entry];
  if (entry.source !== undefined || (entry.targets?.length ?? 0) > 0)
    throw invalid('cannot specify both path and inline replacement');
  const json = unmarshalText(loader.text(entry.path));
  if (isArray(json)) return decodeWhole(replacementList, json, false);
  if (isObject(json)) return [decodeWhole(replacement, json, false)];
  throw invalid('unsupported replacement type encountered within replacement path');
}

/** Present id first, then what it was called before. */
function idsOf(resource: Resource): ResId[] {
  return [{ ...resource.id, isClusterScoped: false }, ...resource.previousIds];
}

function sourceNode(resources: readonly Resource[], source: SourceSelector): YamlNode {
  const wanted: Selector = { ...source, labelSelector: '', annotationSelector: '' };
  const found = resources.filter((resource) => idsOf(resource).some((id) => isNamed(id, wanted)));
  const [resource] = found;
  if (found.length > 1) throw invalid(`multiple matches for selector ${sourceText(source)}`);
  if (resource === undefined) throw invalid(`nothing selected by ${sourceText(source)}`);
  const path = source.fieldPath === '' ? DEFAULT_PATH : source.fieldPath;
  const node = during('error looking up replacement source', () => lookup(resource.node, splitFieldPath(path)));
  if (node === undefined || isEmpty(node)) {
    throw invalid(
      `fieldPath \`${path}\` is missing for replacement source ${idText({ ...source, isClusterScoped: false })}`,
    );
  }
  return refined(node, source.options);
}

function sourceText(source: SourceSelector): string {
  const { options } = source;
  const shown =
    options === undefined || (options.delimiter === '' && !options.create)
      ? ''
      : `${options.delimiter}(${options.index}), create=${options.create}`;
  return [idText({ ...source, isClusterScoped: false }), source.fieldPath, shown]
    .filter((part) => part !== '')
    .join(':');
}

/** The part of the text that the options choose. */
function refined(node: YamlNode, options: FieldOptions | undefined): YamlNode {
  if (options === undefined || options.delimiter === '') return node;
  if (node.kind !== 'scalar') throw invalid('delimiter option can only be used with scalar nodes');
  const part = textOf(node).split(options.delimiter)[options.index];
  if (part === undefined) throw invalid(`options.index ${options.index} is out of bounds for value ${textOf(node)}`);
  const copy = node.copy();
  copy.value = part;
  return copy;
}

function replaceIn(resources: readonly Resource[], value: YamlNode, target: TargetSelector): void {
  const { select, reject } = target;
  if (select === undefined) throw invalid('target must specify resources to select');
  const isSelected = idMatcher(select);
  const isLabelled = labelMatcher(select);
  const rejectsId = reject.filter(hasId).map(idMatcher);
  const rejectsLabels = reject
    .filter((one) => one.labelSelector !== '' || one.annotationSelector !== '')
    .map(labelMatcher);
  for (const resource of resources) {
    if (!isLabelled(resource) || rejectsLabels.some((rejects) => rejects(resource))) continue;
    const ids = idsOf(resource);
    if (ids.some((id) => rejectsId.some((rejects) => rejects(id)))) continue;
    if (ids.some(isSelected)) copyInto(resource.node, value, target);
  }
}

function hasId({ group, version, kind, name, namespace }: Selector): boolean {
  return [group, version, kind, name, namespace].some((text) => text !== '');
}

function idMatcher(selector: Selector): (id: ResId) => boolean {
  const patterns = patternsOf(selector);
  return (id) => patterns.gvk(id) && patterns.name(id.name) && patterns.namespace(id.namespace);
}

function copyInto(node: YamlNode, value: YamlNode, { fieldPaths, options }: TargetSelector): void {
  const create = options?.create === true ? value.kind : undefined;
  for (const path of fieldPaths.length === 0 ? [DEFAULT_PATH] : fieldPaths) {
    if (setInStructuredText(node, value, splitFieldPath(path), create)) continue;
    const problem = `unable to find${create === undefined ? '' : ' or create'} field "${path}" in replacement target`;
    const fields = during(problem, () => matchPath(node, splitFieldPath(path), create));
    if (fields.length === 0) throw invalid(problem);
    for (const field of fields) setValue(field, value, options);
  }
}

function setValue(field: YamlNode, value: YamlNode, options: FieldOptions | undefined): void {
  const copy = value.copy();
  if (options !== undefined && options.delimiter !== '') {
    if (field.kind !== 'scalar') throw invalid('delimiter option can only be used with scalar nodes');
    const parts = field.value.split(options.delimiter);
    const part = textOf(copy);
    if (options.index < 0) parts.unshift(part);
    else if (options.index >= parts.length) parts.push(part);
    else parts[options.index] = part;
    copy.value = parts.join(options.delimiter);
  }
  // A scalar keeps its type, so that a number can go into a string and the other way round.
  if (field.kind === 'scalar') field.value = copy.value;
  else field.become(copy);
}
