import { visitField } from '../config/field-spec.js';
import { invalid } from '../fault.js';
import { decodeWhole, optional, struct, text } from '../kustomization/decode.js';
import { fieldSpecs } from '../kustomization/types.js';
import { isSelectedBy, type Gvk } from '../resource/res-id.js';
import type { Resource } from '../resource/resource.js';
import { STRING_TAG } from '../yaml/node.js';
import { entrySetter } from './set-entry.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('AffixTransformerPlugin', { prefix: text, suffix: text, fieldSpecs: optional(fieldSpecs) });

/** Kinds whose names mean something to others. */
const KEPT: readonly Gvk[] = [
  { group: '', version: '', kind: 'CustomResourceDefinition' },
  { group: 'apiregistration.k8s.io', version: '', kind: 'APIService' },
  { group: '', version: '', kind: 'Namespace' },
];

interface Affix {
  readonly text: string;
  apply(name: string): string;
  remember(resource: Resource): void;
}

function affixTransformer(affixOf: (config: { prefix: string; suffix: string }) => Affix): TransformerFactory {
  return (config) => {
    const read = decodeWhole(type, config, false);
    const specs = read.fieldSpecs;
    if (specs === undefined) throw invalid('fieldSpecs is not expected to be nil');
    const affix = affixOf(read);
    return {
      transform(resources) {
        for (const resource of resources.resources) {
          const id = resource.originalId;
          if (KEPT.some((kept) => isSelectedBy(id, kept))) continue;
          for (const spec of specs) {
            if (!isSelectedBy(id, spec)) continue;
            if (spec.path === 'metadata/name') {
              affix.remember(resource);
              if (affix.text !== '') resource.rememberId();
            }
            visitField(resource.node, {
              spec,
              createKind: 'scalar',
              createTag: STRING_TAG,
              set: (node) => entrySetter('', affix.apply(node.value), '')(node),
            });
          }
        }
      },
    };
  };
}

/** Puts a text before names. */
export const prefixTransformer = affixTransformer(({ prefix }) => ({
  text: prefix,
  apply: (name) => prefix + name,
  remember: (resource) => resource.addPrefix(prefix),
}));

/** Puts a text after names. */
export const suffixTransformer = affixTransformer(({ suffix }) => ({
  text: suffix,
  apply: (name) => name + suffix,
  remember: (resource) => resource.addSuffix(suffix),
}));
