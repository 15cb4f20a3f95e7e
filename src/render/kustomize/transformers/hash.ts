import { createHash } from 'node:crypto';
import { compareText, isArray, isObject, own, type Json } from '../../../model/index.js';
import { invalid } from '../fault.js';
import type { Resource } from '../resource/resource.js';
import { field } from '../yaml/fields.js';
import { nodeJson } from '../yaml/node-json.js';
import type { TransformerFactory } from './transformer.js';

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
  const hex = createHash('sha256').update(goJson(hashedContent(resource))).digest('hex');
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
    case 'ConfigMap': return { kind: 'ConfigMap', name: '', data: part('data'), ...optional('binaryData') };
    case 'Secret': return { kind: 'Secret', type: part('type'), name: '', data: part('data'), ...optional('stringData') };
    default: throw invalid(`a name with a hash of its content is only made for ConfigMaps and Secrets, not for ${resource.kind}`);
  }
}

/** JSON as Go's encoding/json writes it: sorted keys, and escapes for what could close a script. */
export function goJson(value: Json, indent?: string, prefix = ''): string {
  const inner = indent === undefined ? '' : `\n${prefix}${indent}`;
  const outer = indent === undefined ? '' : `\n${prefix}`;
  const below = (member: Json): string => goJson(member, indent, indent === undefined ? '' : prefix + indent);
  if (isArray(value)) return value.length === 0 ? '[]' : `[${value.map((item) => inner + below(item)).join(',')}${outer}]`;
  if (!isObject(value)) return typeof value === 'bigint' ? String(value) : escapeHtml(JSON.stringify(value));
  const keys = Object.keys(value).filter((key) => own(value, key) !== undefined).sort(compareText);
  if (keys.length === 0) return '{}';
  const colon = indent === undefined ? ':' : ': ';
  return `{${keys.map((key) => inner + escapeHtml(JSON.stringify(key)) + colon + below(own(value, key) ?? null)).join(',')}${outer}}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
