import { visitField } from '../config/field-spec.js';
import { decodeWhole, struct } from '../kustomization/decode.js';
import { fieldSpecs, image, type Image } from '../kustomization/types.js';
import { compilePattern } from '../resource/selector.js';
import { checkKind, getField } from '../yaml/fields.js';
import { isPresent, type YamlNode } from '../yaml/node.js';
import { splitImage } from './image-name.js';
import { entrySetter } from './set-entry.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('ImageTagTransformerPlugin', { imageTag: image, fieldSpecs });

/** Changes name, tag or digest of images, in all lists of containers and at the fields that hold some. */
export const imageTransformer: TransformerFactory = (config) => {
  const { imageTag, fieldSpecs: specs } = decodeWhole(type, config, false);
  const set = imageSetter(imageTag);
  return {
    transform(resources) {
      const { resources: all } = resources;
      const changeable = all.filter(({ kind }) => kind !== 'CustomResourceDefinition');
      for (const { node } of changeable) setInContainers(node, set);
      for (const { node } of changeable) for (const spec of specs) visitField(node, { spec, set });
    },
  };
};

function imageSetter(change: Image): (node: YamlNode) => void {
  const pattern = compilePattern(`^${change.name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  return (node) => {
    checkKind(node, 'scalar');
    if (pattern.test(node.value)) entrySetter('', changed(node.value, change), '')(node);
  };
}

/** A new tag or digest replaces both. */
function changed(value: string, { newName, newTag, digest, tagSuffix }: Image): string {
  const old = splitImage(value);
  let [tag, hash] = [old.tag, old.digest];
  if (newTag !== '' || digest !== '') [tag, hash] = [newTag, digest];
  else if (tagSuffix !== '') [tag, hash] = [tag + tagSuffix, ''];
  return `${newName === '' ? old.name : newName}${tag === '' ? '' : `:${tag}`}${hash === '' ? '' : `@${hash}`}`;
}

/** Walks an object to the lists named `containers` and `initContainers`, wherever they are. */
function setInContainers(node: YamlNode, set: (node: YamlNode) => void): void {
  for (const item of node.items) setInContainers(item, set);
  for (const { key, value } of node.entries) {
    setInContainers(value, set);
    if (value.kind !== 'seq' || (key.value !== 'containers' && key.value !== 'initContainers')) continue;
    for (const container of value.items) {
      const found = getField(container, 'image');
      if (isPresent(found)) set(found);
    }
  }
}
