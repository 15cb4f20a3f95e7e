import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../../model/json/index.js';
import { invalid } from '../fault.js';
import type { Resource } from '../resource/resource.js';
import { field } from '../yaml/fields.js';
import { goJson } from '../yaml/go-json.js';
import { nodeJson } from '../yaml/node-json.js';
import type { TransformerFactory } from '../plugin/transformer.js';

/** Appends a hash of the content to the names of generated objects. */
export const hashTransformer: TransformerFactory = () => ({
  transform(resources) {
    for (const resource of resources.resources) {
      if (!resource.needsHash) continue;
      const hash = contentHash(resource);
      resource.rememberId();
      resource.setName(`${resource.name}-${hash}`);
    }
  },
});

const LETTERS: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

/** Ten hexadecimal digits, of which those that could make a bad word are exchanged. */
function contentHash(resource: Resource): string {
  const hex = createHash('sha256')
    .update(goJson(hashedContent(resource)))
    .digest('hex');
  return hex.slice(0, 10).replace(/[013ae]/g, (digit) => LETTERS[digit] ?? digit);
}

function hashedContent(resource: Resource): Json {
  const part = (name: string): Json => {
    const node = field(resource.node, name);
    if (node === undefined) return '';
    return node.kind === 'scalar' ? node.value : nodeJson(node);
  };
  const optional = (name: string): Record<string, Json> => (isObject(part(name)) ? { [name]: part(name) } : {});
  switch (resource.kind) {
    // Kustomize looks for a field called "metadata/name", so the name is always empty.
    case 'ConfigMap':
      return { kind: 'ConfigMap', name: '', data: part('data'), ...optional('binaryData') };
    case 'Secret':
      return { kind: 'Secret', type: part('type'), name: '', data: part('data'), ...optional('stringData') };
    default:
      throw invalid(
        `a name with a hash of its content is only made for ConfigMaps and Secrets, not for ${resource.kind}`,
      );
  }
}
